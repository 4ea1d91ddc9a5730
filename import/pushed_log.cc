#include "import/pushed_log.h"

#include <optional>

#include "absl/strings/str_format.h"
#include "base/percent_encode.h"

namespace lockstep::importer {
namespace {

void Put(std::string& path, std::string_view name, std::string_view value) {
  if (!value.empty()) absl::StrAppendFormat(&path, "&%s=%s", name, PercentEncode(value));
}

void PutNumber(std::string& path, std::string_view name, int64_t value) {
  if (value != 0) absl::StrAppendFormat(&path, "&%s=%d", name, value);
}

}  // namespace

PushedLog::PushedLog(Delivery& delivery, Route route, std::string stream,
                     const logs::LogHints& hints)
    : delivery_(delivery) {
  path_ = absl::StrFormat("/api/v1/push/%s?stream=%s", route == Route::kLog ? "log" : "steps",
                          PercentEncode(stream));
  Put(path_, "format", hints.format);
  Put(path_, "job", hints.job);
  Put(path_, "run", hints.run);
  Put(path_, "metric", hints.metric);
  if (hints.rank.has_value()) absl::StrAppendFormat(&path_, "&rank=%d", *hints.rank);
  PutNumber(path_, "attempt", hints.attempt);
  PutNumber(path_, "logging_steps", hints.logging_steps);
}

absl::StatusOr<PushAnswer> PushedLog::Send(const Piece& piece) {
  std::string path = path_;
  absl::StrAppendFormat(&path, "&offset=%d", piece.offset);
  PutNumber(path, "arrival_ms", piece.arrival_ms);
  if (piece.is_last) path += "&last=true";
  LOCKSTEP_ASSIGN_OR_RETURN(const Reply reply,
                            delivery_.Send({path, {"Content-Type: text/plain"}, piece.bytes}));
  std::optional<PushAnswer> answer = ReadPushAnswer(reply.status, reply.body);
  if (!answer.has_value()) return absl::FailedPreconditionError(Describe(reply));
  return *std::move(answer);
}

}  // namespace lockstep::importer

#include "import/delivery/pushed_log.h"

#include <simdjson.h>

#include <optional>

#include "absl/strings/str_format.h"
#include "base/text/url.h"

namespace lockstep::importer {
namespace {

std::string TextIn(simdjson::dom::element object, const char* key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

std::optional<SampleFates> FatesIn(simdjson::dom::element object) {
  SampleFates fates;
  const bool is_told = object["new_samples"].get(fates.stored) == simdjson::SUCCESS &&
                       object["duplicate_samples"].get(fates.duplicate) == simdjson::SUCCESS &&
                       object["overwritten_samples"].get(fates.overwritten) == simdjson::SUCCESS;
  return is_told ? std::optional(fates) : std::nullopt;
}

void Put(std::string& path, std::string_view name, std::string_view value) {
  if (!value.empty()) absl::StrAppendFormat(&path, "&%s=%s", name, PercentEncode(value));
}

void PutNumber(std::string& path, std::string_view name, int64_t value) {
  if (value != 0) absl::StrAppendFormat(&path, "&%s=%d", name, value);
}

}  // namespace

std::optional<PushAnswer> ReadPushAnswer(int status, std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element answer;
  if (parser.parse(body.data(), body.size()).get(answer) != simdjson::SUCCESS) return std::nullopt;
  PushAnswer read;
  read.is_gap = status == 409;
  if (read.is_gap) {
    if (answer["expected_offset"].get(read.next_offset) != simdjson::SUCCESS) return std::nullopt;
    return read;
  }
  // Wrapped in an envelope for logs, but not for steps.
  simdjson::dom::element data;
  if (answer["data"].get(data) == simdjson::SUCCESS) answer = data;
  if (answer["next_offset"].get(read.next_offset) != simdjson::SUCCESS) return std::nullopt;
  if (answer["refused_samples"].get(read.refused_samples) != simdjson::SUCCESS) return std::nullopt;
  read.refused = TextIn(answer, "refused");
  read.format = TextIn(answer, "format");
  read.fates = FatesIn(answer);
  return read;
}

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

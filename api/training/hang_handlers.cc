#include "api/training/hang_handlers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/hang.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/ingest/write_failure.h"
#include "api/training/hang_json.h"
#include "api/training/training_params.h"
#include "hang/dump/evidence.h"
#include "ingest/write/body_encoding.h"
#include "model/matcher.h"

namespace lockstep::api {
namespace {

constexpr size_t kMaxJobBytes = 256;

struct DumpParameters {
  std::string job;
  int32_t rank = 0;
  std::string host;
  int64_t time_ms = 0;
};

absl::StatusOr<int32_t> RankOfDump(const Form& form) {
  const std::string_view text = form.Get("rank");
  if (text.empty()) {
    const std::optional<int32_t> rank = hang::RankInName(form.Get("path"));
    if (rank.has_value()) return *rank;
    return absl::InvalidArgumentError(
        "no rank parameter provided, and none in the file name of the parameter \"path\"");
  }
  const absl::StatusOr<int64_t> rank = ParseInteger(text);
  if (!rank.ok() || *rank < 0 || *rank > hang::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"rank\": \"%s\" is not a number from 0 to %d", text, hang::kMaxRank));
  }
  return static_cast<int32_t>(*rank);
}

// Only the URL's parameters: the body is a dump, whatever its Content-Type.
absl::StatusOr<DumpParameters> DumpParametersOf(const Request& request, int64_t now_ms) {
  Request bare;
  bare.target = request.target;
  const Form form = Form::Of(bare);
  DumpParameters parameters;
  parameters.job = form.Get("job");
  parameters.time_ms = now_ms;
  if (parameters.job.empty()) return absl::InvalidArgumentError("no job parameter provided");
  if (parameters.job.size() > kMaxJobBytes) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"job\": it has %d bytes, more than the limit of %d",
                        parameters.job.size(), kMaxJobBytes));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(parameters.rank, RankOfDump(form));
  parameters.host = std::string(form.Get("host").substr(0, hang::kMaxTextBytes));
  if (const std::string_view time = form.Get("time"); !time.empty()) {
    const absl::StatusOr<int64_t> time_ms = ParseTimeMs(time);
    if (!time_ms.ok()) return Annotate(time_ms.status(), "invalid parameter \"time\"");
    // A time in the future would keep later dumps out.
    parameters.time_ms = std::min(std::max<int64_t>(*time_ms, 0), now_ms);
  }
  const std::optional<Matcher>& jobs = request.grant.jobs;
  if (jobs.has_value() && !jobs->Matches(parameters.job)) {
    return absl::PermissionDeniedError(absl::StrFormat(
        "this credential may not write the job \"%s\"; nothing was stored", parameters.job));
  }
  return parameters;
}

absl::StatusOr<hang::RankRecord> ReadDumpBody(const Request& request, const IngestLimits& limits) {
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> encoding =
      name.empty() ? BodyEncoding::kIdentity : ParseBodyEncoding(name);
  if (!encoding.has_value()) {
    return absl::UnimplementedError(absl::StrFormat(
        "unsupported Content-Encoding \"%s\"; expected gzip, zstd, snappy or identity", name));
  }
  std::string scratch;
  MemoryCharge memory{MemoryAccount::kDecoding};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::string_view bytes,
      DecodeBody(*encoding, request.body, limits.max_decoded_bytes, scratch, &memory));
  return hang::ReadEvidence(bytes, &memory);
}

Response DumpFailure(const absl::Status& status) {
  WriteFailure failure = WriteFailureOf(status);
  if (absl::IsUnimplemented(status)) failure.http_status = 415;
  // One that needs more memory than a request may have does not fit later either.
  if (absl::IsResourceExhausted(status)) failure = {413, ""};
  Response response = ErrorReply(
      failure.http_status < 500 ? ErrorType::kBadData : ErrorType::kUnavailable, Message(status));
  response.status = failure.http_status;
  if (!failure.retry_after_seconds.empty()) {
    response.headers.push_back({"Retry-After", std::move(failure.retry_after_seconds)});
  }
  return response;
}

}  // namespace

// Of several tenants that a reader may see at once, the newest evidence of each rank.
absl::StatusOr<std::vector<hang::RankRecord>> RecordsOfJob(const Call& call, std::string_view job,
                                                           int64_t now_ms, MemoryCharge& memory) {
  const std::optional<Matcher>& jobs = call.data->jobs();
  if (jobs.has_value() && !jobs->Matches(job)) return std::vector<hang::RankRecord>();
  std::map<int32_t, hang::RankRecord> newest;
  for (const auto& tenant : call.data->tenants()) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<hang::RankRecord> records,
                              tenant->dumps.Read(job, now_ms, memory));
    for (hang::RankRecord& record : records) {
      const auto [found, is_new] = newest.try_emplace(record.rank);
      if (is_new || found->second.newest_ms < record.newest_ms) found->second = std::move(record);
    }
  }
  std::vector<hang::RankRecord> all;
  for (auto& [rank, record] : newest) all.push_back(std::move(record));
  return all;
}

Response HandleDumpPush(const Request& request, const DumpContext& context) {
  const absl::StatusOr<DumpParameters> parameters = DumpParametersOf(request, context.now_ms);
  if (!parameters.ok()) return DumpFailure(parameters.status());
  absl::StatusOr<hang::RankRecord> record = ReadDumpBody(request, context.limits);
  if (!record.ok()) return DumpFailure(record.status());
  const auto kind =
      record->has_dump() ? hang::EvidenceKind::kFlightRecorder : hang::EvidenceKind::kStack;
  record->rank = parameters->rank;
  if (!parameters->host.empty()) record->host = parameters->host;
  (record->has_dump() ? record->dump_ms : record->stack_ms) = parameters->time_ms;
  const absl::StatusOr<hang::PutResult> put =
      context.dumps.Put(parameters->job, *std::move(record), context.now_ms);
  if (!put.ok()) return DumpFailure(put.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("format", Name(kind));
    json.Field("rank", parameters->rank);
    json.Field("operations", put->operations);
    json.Field("is_older", put->is_older);
    json.EndObject();
  });
}

Response HandleHang(const Call& call, const TrainingContext& context) {
  const absl::StatusOr<answers::JobQuestion> question = JobQuestionOf(call.form);
  if (!question.ok()) return TrainingFailure(question.status());
  const std::string_view format = call.form.Get("format");
  if (!format.empty() && format != "json" && format != "text") {
    return InvalidParameter("format", absl::StrFormat("\"%s\" is not one of json, text", format));
  }
  MemoryCharge memory{MemoryAccount::kQueries};
  const auto records = RecordsOfJob(call, question->name, context.answers.now_ms, memory);
  if (!records.ok()) return TrainingFailure(records.status());
  const auto found = answers::AnswerHang(*question, *records, context.answers);
  if (!found.ok()) return TrainingFailure(found.status());
  if (format == "text") {
    Response response;
    response.body = answers::HangText(*found);
    return response;
  }
  return SuccessReply([&](JsonWriter& json) { WriteHang(json, *found); });
}

}  // namespace lockstep::api

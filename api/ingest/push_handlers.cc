#include "api/ingest/push_handlers.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/ingest/job_binding.h"
#include "api/ingest/write_failure.h"
#include "ingest/write/body_encoding.h"
#include "ingest/write/request_memory.h"

namespace lockstep::api {
namespace {

using push::LogPushAnswer;
using push::PushResult;

constexpr std::string_view kStreamHeader = "X-Lockstep-Stream";
constexpr std::string_view kOffsetHeader = "X-Lockstep-Offset";
// Each line of this format identifies its own job and rank.
constexpr std::string_view kStepFormat = "jsonl";

template <typename Number>
absl::Status ParseNumber(std::string_view name, std::string_view text,
                         std::optional<Number>& number) {
  if (text.empty()) return absl::OkStatus();
  Number parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || parsed < 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"%s\": \"%s\" is not a whole number", name, text));
  }
  number = parsed;
  return absl::OkStatus();
}

// The parameter, or the header, which senders use that cannot set parameters.
std::string_view Given(const Form& form, const Request& request, std::string_view parameter,
                       std::string_view header) {
  const std::string_view value = form.Get(parameter);
  return value.empty() ? request.header(header) : value;
}

// Only the URL's parameters: the body is a log, whatever its Content-Type.
Form ParametersOf(const Request& request) {
  Request bare;
  bare.target = request.target;
  return Form::Of(bare);
}

struct Push {
  std::string stream;
  logs::LogHints hints;
  push::LogPush log;
  std::string scratch;
  MemoryCharge memory{MemoryAccount::kDecoding};  // for the body and its parsed contents
};

absl::Status ReadHints(const Form& form, logs::LogHints& hints) {
  // The path of the followed file provides what it can; parameters override it.
  if (const std::string_view path = form.Get("path"); !path.empty()) {
    hints = logs::HintsFromPath(path);
  }
  const auto take = [&form](std::string_view name, std::string& into) {
    if (const std::string_view value = form.Get(name); !value.empty()) into = value;
  };
  take("format", hints.format);
  take("job", hints.job);
  take("run", hints.run);
  take("metric", hints.metric);
  LOCKSTEP_RETURN_IF_ERROR(ParseNumber("rank", form.Get("rank"), hints.rank));
  std::optional<uint32_t> attempt;
  LOCKSTEP_RETURN_IF_ERROR(ParseNumber("attempt", form.Get("attempt"), attempt));
  hints.attempt = attempt.value_or(hints.attempt);
  std::optional<int64_t> logging_steps;
  LOCKSTEP_RETURN_IF_ERROR(ParseNumber("logging_steps", form.Get("logging_steps"), logging_steps));
  hints.logging_steps = logging_steps.value_or(hints.logging_steps);
  return absl::OkStatus();
}

absl::Status ReadBody(const Request& request, const IngestLimits& limits, Push& push) {
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> encoding =
      name.empty() ? BodyEncoding::kIdentity : ParseBodyEncoding(name);
  if (!encoding.has_value()) {
    return absl::UnimplementedError(absl::StrFormat(
        "unsupported Content-Encoding \"%s\"; expected gzip, zstd, snappy or identity", name));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(
      push.log.bytes,
      DecodeBody(*encoding, request.body, limits.max_decoded_bytes, push.scratch, &push.memory));
  // A value of a few characters becomes a whole sample.
  constexpr uint64_t kParsedExpansion = 4;
  return AsWriteError(push.memory.Add(kParsedExpansion * push.log.bytes.size()));
}

absl::Status ReadPush(const Request& request, const PushContext& context, Push& push) {
  const Form form = ParametersOf(request);
  LOCKSTEP_RETURN_IF_ERROR(ReadHints(form, push.hints));
  push.stream = Given(form, request, "stream", kStreamHeader);
  push.log.client = ClientOf(request);
  LOCKSTEP_RETURN_IF_ERROR(
      ParseNumber("offset", Given(form, request, "offset", kOffsetHeader), push.log.offset));
  if (request.grant.jobs.has_value()) {
    push.log.check = [&jobs = *request.grant.jobs](const WriteRequest& write) {
      return CheckJobs(jobs, write);
    };
    // A stream cannot be continued with a credential for other jobs.
    if (!push.stream.empty()) push.stream = absl::StrFormat("%s\n%s", request.user, push.stream);
  }
  if (push.log.offset.has_value() && push.stream.empty()) {
    return absl::InvalidArgumentError("invalid parameter \"offset\": requires a stream name");
  }
  const absl::StatusOr<bool> is_last = ParseBool(form.Get("last"));
  if (!is_last.ok()) return Annotate(is_last.status(), "invalid parameter \"last\"");
  push.log.is_last = *is_last;
  std::optional<int64_t> arrival_ms;
  LOCKSTEP_RETURN_IF_ERROR(ParseNumber("arrival_ms", form.Get("arrival_ms"), arrival_ms));
  push.log.arrival_ms = arrival_ms.value_or(context.now_ms);
  return ReadBody(request, context.limits, push);
}

Response Failure(const absl::Status& status) {
  WriteFailure failure = WriteFailureOf(status);
  if (absl::IsUnimplemented(status)) failure.http_status = 415;
  Response response = ErrorReply(
      failure.http_status < 500 ? ErrorType::kBadData : ErrorType::kUnavailable, Message(status));
  response.status = failure.http_status;
  if (!failure.retry_after_seconds.empty()) {
    response.headers.push_back({"Retry-After", std::move(failure.retry_after_seconds)});
  }
  return response;
}

// After a gap or at the end, tells the sender where to continue the stream.
Response OffsetConflict(const PushResult& result) {
  Response response;
  response.status = 409;
  response.content_type = "application/json";
  JsonWriter json(response.body);
  json.BeginObject();
  json.Field("status", "error");
  json.Field("errorType", "bad_data");
  json.Field("error", Message(result.status));
  json.Field("expected_offset", result.answer.next_offset);
  json.EndObject();
  return response;
}

Response PushFailure(const PushResult& result) {
  switch (result.status.code()) {
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
      return OffsetConflict(result);
    case absl::StatusCode::kAborted:
      return Failure(absl::UnavailableError(std::string(Message(result.status))));
    default:
      return Failure(result.status);
  }
}

void WriteRejections(const LogPushAnswer& answer, JsonWriter& json) {
  json.BeginArray();
  for (const logs::RejectedLine& line : answer.rejections) {
    json.BeginObject();
    json.Field("line", line.number);
    json.Field("offset", line.offset);
    json.Field("reason", line.reason);
    json.Field("text", line.text);
    json.EndObject();
  }
  json.EndArray();
}

void PutOutcome(const LogPushAnswer& answer, JsonWriter& json) {
  json.Field("new_samples", answer.new_samples);
  json.Field("duplicate_samples", answer.duplicate_samples);
  json.Field("overwritten_samples", answer.overwritten_samples);
  json.Field("rejected_lines", answer.rejected_lines);
  json.Key("rejected");
  WriteRejections(answer, json);
  json.Field("refused_samples", answer.refusals.sample_count());
  json.Field("refused", answer.refusals.empty() ? "" : answer.refusals.ToString());
}

Response LogReply(const PushResult& result) {
  const LogPushAnswer& answer = result.answer;
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("format", answer.format);
    json.Field("next_offset", answer.next_offset);
    json.Field("bytes", answer.new_bytes);
    json.Field("lines", answer.lines);
    json.Field("records", answer.records);
    json.Field("events", answer.events);
    json.Field("values", answer.values);
    json.Field("repeated_steps", answer.repeated_steps);
    json.Field("ignored_lines", answer.ignored_lines);
    PutOutcome(answer, json);
    json.EndObject();
  });
}

// 400 if some lines or samples were rejected; the others are stored.
Response StepReply(const PushResult& result) {
  const LogPushAnswer& answer = result.answer;
  Response response;
  response.content_type = "application/json";
  response.status = answer.rejected_lines > 0 || !answer.refusals.empty() ? 400 : 200;
  JsonWriter json(response.body);
  json.BeginObject();
  json.Field("accepted", answer.records + answer.events);
  json.Field("next_offset", answer.next_offset);
  PutOutcome(answer, json);
  json.EndObject();
  return response;
}

using MakeReply = Response (*)(const PushResult&);

void RunPush(const Push& push, const PushContext& context, MakeReply reply, Respond respond) {
  context.pusher.Push(push.stream, push.hints, push.log,
                      [reply, respond = std::move(respond)](const PushResult& result) mutable {
                        respond(result.status.ok() ? reply(result) : PushFailure(result));
                      });
}

}  // namespace

void HandleLogPush(const Request& request, const PushContext& context, Respond respond) {
  Push push;
  const absl::Status read = ReadPush(request, context, push);
  if (!read.ok()) return respond(Failure(read));
  RunPush(push, context, LogReply, std::move(respond));
}

void HandleStepPush(const Request& request, const PushContext& context, Respond respond) {
  Push push;
  const absl::Status read = ReadPush(request, context, push);
  if (!read.ok()) return respond(Failure(read));
  push.hints.format = kStepFormat;
  RunPush(push, context, StepReply, std::move(respond));
}

}  // namespace lockstep::api

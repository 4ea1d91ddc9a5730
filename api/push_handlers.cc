#include "api/push_handlers.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/form.h"
#include "api/job_binding.h"
#include "api/json_writer.h"
#include "api/params.h"
#include "api/reply.h"
#include "api/write_failure.h"
#include "ingest/body_encoding.h"
#include "ingest/request_memory.h"

namespace lockstep::api {
namespace {

using push::LogPushAnswer;
using push::PushResult;

constexpr std::string_view kStreamHeader = "X-Lockstep-Stream";
constexpr std::string_view kOffsetHeader = "X-Lockstep-Offset";
// Each line of it says itself what it is about.
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

// The parameter, or else the header, which senders that know no parameters set.
std::string_view Given(const Form& form, const Request& request, std::string_view parameter,
                       std::string_view header) {
  const std::string_view value = form.Get(parameter);
  return value.empty() ? request.header(header) : value;
}

// Of the URL alone: the body is a log, whatever type the sender gives it.
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
  MemoryCharge memory{MemoryAccount::kDecoding};  // of the body, and of what is parsed of it
};

absl::Status ReadHints(const Form& form, logs::LogHints& hints) {
  // A path, as of the file that is followed, says what it can; parameters say it better.
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
        "Content-Encoding is \"%s\"; this path reads gzip, zstd, snappy and identity", name));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(
      push.log.bytes,
      DecodeBody(*encoding, request.body, limits.max_decoded_bytes, push.scratch, &push.memory));
  // A value of a few characters becomes a sample.
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
    // Nobody goes on where a credential for other jobs ended.
    if (!push.stream.empty()) push.stream = absl::StrFormat("%s\n%s", request.user, push.stream);
  }
  if (push.log.offset.has_value() && push.stream.empty()) {
    return absl::InvalidArgumentError(
        "invalid parameter \"offset\": it counts in a stream, which has no name");
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

// A gap, or an end: the sender learns where the stream goes on.
Response OffsetConflict(const PushResult& result) {
  Response response;
  response.status = 409;
  response.content_type = "application/json";
  JsonWriter json(response.body);
  json.BeginObject();
  json.Key("status");
  json.String("error");
  json.Key("errorType");
  json.String("bad_data");
  json.Key("error");
  json.String(Message(result.status));
  json.Key("expected_offset");
  json.Number(result.answer.next_offset);
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

void PutCount(JsonWriter& json, std::string_view key, uint64_t count) {
  json.Key(key);
  json.Number(count);
}

void WriteRejections(const LogPushAnswer& answer, JsonWriter& json) {
  json.BeginArray();
  for (const logs::RejectedLine& line : answer.rejections) {
    json.BeginObject();
    PutCount(json, "line", line.number);
    PutCount(json, "offset", line.offset);
    json.Key("reason");
    json.String(line.reason);
    json.Key("text");
    json.String(line.text);
    json.EndObject();
  }
  json.EndArray();
}

void PutOutcome(const LogPushAnswer& answer, JsonWriter& json) {
  PutCount(json, "new_samples", answer.new_samples);
  PutCount(json, "duplicate_samples", answer.duplicate_samples);
  PutCount(json, "overwritten_samples", answer.overwritten_samples);
  PutCount(json, "rejected_lines", answer.rejected_lines);
  json.Key("rejected");
  WriteRejections(answer, json);
  PutCount(json, "refused_samples", answer.refusals.sample_count());
  json.Key("refused");
  json.String(answer.refusals.empty() ? "" : answer.refusals.ToString());
}

Response LogReply(const PushResult& result) {
  const LogPushAnswer& answer = result.answer;
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("format");
    json.String(answer.format);
    PutCount(json, "next_offset", answer.next_offset);
    PutCount(json, "bytes", answer.new_bytes);
    PutCount(json, "lines", answer.lines);
    PutCount(json, "records", answer.records);
    PutCount(json, "events", answer.events);
    PutCount(json, "values", answer.values);
    PutCount(json, "repeated_steps", answer.repeated_steps);
    PutCount(json, "ignored_lines", answer.ignored_lines);
    PutOutcome(answer, json);
    json.EndObject();
  });
}

// 400 when some lines, or samples of them, were not taken: the others are stored all the same.
Response StepReply(const PushResult& result) {
  const LogPushAnswer& answer = result.answer;
  Response response;
  response.content_type = "application/json";
  response.status = answer.rejected_lines > 0 || !answer.refusals.empty() ? 400 : 200;
  JsonWriter json(response.body);
  json.BeginObject();
  PutCount(json, "accepted", answer.records + answer.events);
  PutCount(json, "next_offset", answer.next_offset);
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

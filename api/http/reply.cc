#include "api/http/reply.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::api {
namespace {

constexpr std::string_view kJson = "application/json";

struct ErrorName {
  std::string_view name;
  int http_status;
};

ErrorName NameOf(ErrorType type) {
  switch (type) {
    case ErrorType::kBadData:
      return {"bad_data", 400};
    case ErrorType::kExecution:
      return {"execution", 422};
    case ErrorType::kForbidden:
      return {"forbidden", 403};
    case ErrorType::kCanceled:
      return {"canceled", 499};
    case ErrorType::kTimeout:
      return {"timeout", 503};
    case ErrorType::kInternal:
      return {"internal", 500};
    case ErrorType::kUnavailable:
      return {"unavailable", 503};
    case ErrorType::kNotFound:
      return {"not_found", 404};
  }
  return {"internal", 500};
}

ErrorType TypeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return ErrorType::kBadData;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kOutOfRange:
      return ErrorType::kExecution;
    case absl::StatusCode::kPermissionDenied:
      return ErrorType::kForbidden;
    case absl::StatusCode::kCancelled:
      return ErrorType::kCanceled;
    case absl::StatusCode::kDeadlineExceeded:
      return ErrorType::kTimeout;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kAborted:
      return ErrorType::kUnavailable;
    // A file or row missing from the store. Handlers that look up what a client named return
    // ErrorType::kNotFound themselves.
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    // Nothing below the API returns these.
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
    default:
      return ErrorType::kInternal;
  }
}

// Temporary failures may be retried.
Response WithRetryAfter(const absl::Status& status, Response response) {
  constexpr const char* kRetryAfterSeconds = "5";
  if (TypeOf(status.code()) == ErrorType::kUnavailable)
    response.headers.push_back({"Retry-After", kRetryAfterSeconds});
  return response;
}

void WriteTexts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  constexpr size_t kMaxTexts = 10;
  if (texts.empty()) return;
  json.Key(key);
  json.BeginArray();
  for (size_t i = 0; i < texts.size() && i < kMaxTexts; ++i) json.String(texts[i]);
  if (texts.size() > kMaxTexts) {
    // "warnings" -> "3 more warning annotations omitted"
    const std::string_view kind = key.substr(0, key.size() - 1);
    json.String(absl::StrFormat("%d more %s annotations omitted", texts.size() - kMaxTexts, kind));
  }
  json.EndArray();
}

}  // namespace

Response ErrorReply(ErrorType type, std::string_view text) {
  const ErrorName error = NameOf(type);
  Response response;
  response.status = error.http_status;
  response.content_type = kJson;
  JsonWriter json(response.body);
  json.BeginObject();
  json.Field("status", "error");
  json.Field("errorType", error.name);
  json.Field("error", text);
  json.EndObject();
  return response;
}

Response InvalidParameter(std::string_view name, std::string_view text) {
  return ErrorReply(ErrorType::kBadData,
                    absl::StrFormat("invalid parameter \"%s\": %s", name, text));
}

Response FailureReply(const absl::Status& status) {
  return WithRetryAfter(status, ErrorReply(TypeOf(status.code()), Message(status)));
}

Response PlainFailureReply(const absl::Status& status) {
  const bool too_large = absl::IsResourceExhausted(status) || absl::IsOutOfRange(status);
  const int http_status = too_large ? 400 : NameOf(TypeOf(status.code())).http_status;
  return WithRetryAfter(status, TextReply(http_status, Message(status)));
}

Response SuccessReply(absl::FunctionRef<void(JsonWriter&)> write_data,
                      const engine::Annotations& annotations) {
  Response response;
  response.content_type = kJson;
  JsonWriter json(response.body);
  json.BeginObject();
  json.Field("status", "success");
  json.Key("data");
  write_data(json);
  WriteTexts(json, "warnings", annotations.warnings);
  WriteTexts(json, "infos", annotations.infos);
  json.EndObject();
  return response;
}

Response ListReply(Brackets brackets, size_t count,
                   absl::FunctionRef<void(JsonWriter&, size_t)> write, QueryBudget& budget,
                   const engine::Annotations& annotations) {
  constexpr size_t kStepBytes = 64 << 10;
  absl::Status status;
  Response response = SuccessReply(
      [&](JsonWriter& json) {
        brackets == Brackets::kArray ? json.BeginArray() : json.BeginObject();
        size_t charged_bytes = 0;
        for (size_t i = 0; i < count && status.ok(); ++i) {
          write(json, i);
          if (json.position() <= charged_bytes) continue;
          const size_t more = json.position() + kStepBytes - charged_bytes;
          status = budget.ChargeAnswer(static_cast<int64_t>(more));
          charged_bytes += more;
        }
        brackets == Brackets::kArray ? json.EndArray() : json.EndObject();
      },
      annotations);
  return status.ok() ? std::move(response) : FailureReply(status);
}

Response NoContentReply() {
  Response response;
  response.status = 204;
  return response;
}

Response TextReply(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.body = text;
  response.body += '\n';
  return response;
}

Response NotReadyReply(std::string_view why) {
  Response response =
      TextReply(503, absl::StrFormat("Service Unavailable: lockstep is not ready: %s", why));
  response.headers.push_back({"Retry-After", "1"});
  return response;
}

}  // namespace lockstep::api

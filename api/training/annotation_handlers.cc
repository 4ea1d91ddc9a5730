#include "api/training/annotation_handlers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/http/request_limits.h"
#include "api/training/annotation_json.h"
#include "base/status.h"
#include "ingest/write/body_encoding.h"
#include "ingest/write/request_memory.h"

namespace lockstep::api {
namespace {

using annotations::AnnotationChange;
using annotations::AnnotationFilter;
using annotations::AnnotationList;
using annotations::AnnotationPtr;
using annotations::AnnotationStore;

constexpr size_t kMaxAnnotationBodyBytes = 4 << 20;
constexpr size_t kDefaultListed = 1000;
constexpr size_t kMaxListed = 10'000;

Response AnnotationFailure(const absl::Status& status) {
  Response response = FailureReply(status);
  switch (status.code()) {
    case absl::StatusCode::kOutOfRange:
      response.status = 413;
      break;
    case absl::StatusCode::kUnimplemented:
      response = ErrorReply(ErrorType::kBadData, Message(status));
      response.status = 415;
      break;
    case absl::StatusCode::kPermissionDenied:
      response = ErrorReply(ErrorType::kForbidden, Message(status));
      break;
    case absl::StatusCode::kNotFound:
      response = ErrorReply(ErrorType::kNotFound, Message(status));
      break;
    default:
      break;
  }
  return response;
}

struct AnnotationBody {
  std::string scratch;
  MemoryCharge memory{MemoryAccount::kDecoding};  // for the body and its parsed contents
  std::string_view text;
};

absl::Status ReadAnnotationBody(const Request& request, AnnotationBody& body) {
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> encoding =
      name.empty() ? BodyEncoding::kIdentity : ParseBodyEncoding(name);
  if (!encoding.has_value()) {
    return absl::UnimplementedError(absl::StrFormat(
        "unsupported Content-Encoding \"%s\"; expected gzip, deflate, zstd, snappy or identity",
        name));
  }
  // DecodeBody() limits only what it decompresses.
  if (request.body.size() > kMaxAnnotationBodyBytes) {
    return absl::OutOfRangeError(absl::StrFormat("the body has %d bytes, more than the limit of %d",
                                                 request.body.size(), kMaxAnnotationBodyBytes));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(body.text, DecodeBody(*encoding, request.body, kMaxAnnotationBodyBytes,
                                                  body.scratch, &body.memory));
  // The JSON document, and the annotations made of it.
  constexpr uint64_t kParsedExpansion = 16;
  return AsWriteError(body.memory.Add(kParsedExpansion * body.text.size()));
}

absl::Status CheckMayAnnotate(const Request& request,
                              const std::vector<AnnotationChange>& changes) {
  if (!request.grant.jobs.has_value()) return absl::OkStatus();
  for (const AnnotationChange& change : changes) {
    if (request.grant.jobs->Matches(change.job)) continue;
    return absl::PermissionDeniedError(absl::StrFormat(
        "this credential may not annotate the job \"%s\"; nothing was stored", change.job));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<AnnotationPtr>> PutAnnotations(const Request& request,
                                                          AnnotationStore& store, int64_t now_ms) {
  AnnotationBody body;
  LOCKSTEP_RETURN_IF_ERROR(ReadAnnotationBody(request, body));
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<AnnotationChange> changes,
                            ParseAnnotations(body.text, now_ms));
  LOCKSTEP_RETURN_IF_ERROR(CheckMayAnnotate(request, changes));
  return store.Put(std::move(changes), now_ms);
}

// Empty if the parameter is absent.
std::optional<std::string> ParameterGiven(const Form& form, std::string_view name) {
  const std::vector<std::string_view> values = form.GetAll(name);
  return values.empty() ? std::nullopt : std::optional<std::string>(values.front());
}

std::vector<std::string> AllParametersGiven(const Form& form, std::string_view name) {
  const std::vector<std::string_view> values = form.GetAll(name);
  return {values.begin(), values.end()};
}

absl::StatusOr<AnnotationFilter> FilterOf(const Form& form) {
  AnnotationFilter filter;
  LOCKSTEP_ASSIGN_OR_RETURN(filter.time, ParseTimeRange(form.Get("start"), form.Get("end")));
  filter.job = ParameterGiven(form, "job");
  filter.kinds = AllParametersGiven(form, "kind");
  filter.tags = AllParametersGiven(form, "tag");
  const absl::StatusOr<size_t> limit = ParseLimit(form.Get("limit"));
  if (!limit.ok()) return Annotate(limit.status(), "invalid parameter \"limit\"");
  const size_t wanted = form.Get("limit").empty() ? kDefaultListed : *limit;
  filter.max_count = std::min(wanted, kMaxListed);
  return filter;
}

}  // namespace

Response HandleAnnotationPut(const Request& request, AnnotationStore& store, int64_t now_ms) {
  const auto stored = PutAnnotations(request, store, now_ms);
  if (!stored.ok()) return AnnotationFailure(stored.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginArray();
    for (const AnnotationPtr& annotation : *stored) WriteAnnotation(json, *annotation);
    json.EndArray();
  });
}

Response HandleAnnotationDelete(const Request& request, AnnotationStore& store) {
  Request bare;
  bare.target = request.target;
  if (const absl::Status fits = CheckForm(bare); !fits.ok()) return FormRefusal(fits);
  const Form form = Form::Of(bare);
  const std::string_view id = form.Get("id");
  if (id.empty()) return InvalidParameter("id", "required");
  const absl::Status deleted = store.Delete(id, ParameterGiven(form, "job"), request.grant.jobs);
  if (!deleted.ok()) return AnnotationFailure(deleted);
  return SuccessReply([](JsonWriter& json) {
    json.BeginObject();
    json.Field("deleted", 1);
    json.EndObject();
  });
}

Response HandleAnnotations(const Call& call, int64_t now_ms, QueryBudget& budget) {
  const absl::StatusOr<AnnotationFilter> filter = FilterOf(call.form);
  if (!filter.ok()) return FailureReply(filter.status());
  const AnnotationList list = call.data->Annotations(*filter, now_ms);
  engine::Annotations warnings;
  if (list.annotations.size() < list.matching_count) {
    warnings.warnings.push_back(absl::StrFormat("%d annotations match; these are the latest %d",
                                                list.matching_count, list.annotations.size()));
  }
  return ListReply(
      Brackets::kArray, list.annotations.size(),
      [&list](JsonWriter& json, size_t i) { WriteAnnotation(json, *list.annotations[i]); }, budget,
      warnings);
}

}  // namespace lockstep::api

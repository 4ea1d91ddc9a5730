#include "api/training/identity_handlers.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/ingest/job_binding.h"
#include "api/ingest/write_failure.h"
#include "api/training/training_json.h"
#include "identity/json/registration_json.h"
#include "identity/store/identity_reader.h"

namespace lockstep::api {
namespace {

using identity::Placement;

absl::StatusOr<DecodedWrite> DecodeRegistrations(std::string_view message, int64_t now_ms) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto registrations, identity::ParseRegistrations(message));
  DecodedWrite decoded;
  for (size_t i = 0; i < registrations.size(); ++i) {
    auto series = identity::SeriesOf(registrations[i], now_ms);
    if (!series.ok()) {
      return Annotate(series.status(), absl::StrFormat("registration %d", i + 1));
    }
    for (identity::InfoSeries& one : *series) {
      decoded.sample_count += one.samples.size();
      decoded.request.series.push_back(
          {.labels = std::move(one.labels), .samples = std::move(one.samples), .histograms = {}});
    }
  }
  decoded.series_count = decoded.request.series.size();
  return decoded;
}

Response RegisterFailure(const absl::Status& status) {
  const WriteFailure failure = WriteFailureOf(status);
  const bool is_busy = failure.http_status == 503 || failure.http_status == 429;
  Response response =
      ErrorReply(is_busy ? ErrorType::kUnavailable : ErrorType::kBadData, Message(status));
  response.status = failure.http_status;
  if (!failure.retry_after_seconds.empty()) {
    response.headers.push_back({"Retry-After", failure.retry_after_seconds});
  }
  return response;
}

Response RegisterReply(const absl::StatusOr<WriteSummary>& summary) {
  if (!summary.ok()) return RegisterFailure(summary.status());
  if (!summary->refusals.empty()) {
    return ErrorReply(ErrorType::kBadData, summary->refusals.ToString());
  }
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("samples", summary->samples_written);
    json.EndObject();
  });
}

void WriteCoordinates(JsonWriter& json, const identity::Coordinates& coordinates) {
  for (size_t i = 0; i < coordinates.size(); ++i) {
    json.Field(identity::kCoordinateNames[i], coordinates[i]);
  }
}

// In the format of a selector's braces.
void WriteSelectors(JsonWriter& json, const std::vector<std::vector<Matcher>>& sets) {
  json.Key("device_selectors");
  json.BeginArray();
  for (const std::vector<Matcher>& set : sets) {
    std::string text = "{";
    for (const Matcher& matcher : set) {
      if (text.size() > 1) text += ',';
      text += matcher.ToString();
    }
    json.String(text + "}");
  }
  json.EndArray();
}

void WriteFields(JsonWriter& json, const Placement& placement) {
  json.Field("attempt", placement.attempt);
  json.Field("rank", placement.rank);
  json.Field("host", placement.seat.host);
  json.Field("gpu", placement.seat.gpu);
  json.Field("uuid", placement.seat.uuid);
  json.Field("gpu_model", placement.seat.model);
  WriteCoordinates(json, placement.coordinates);
  WriteTimeRange(json, {placement.time.min_ms, placement.time.max_ms});
  json.Field("source", Name(placement.source));
  WriteSelectors(json, placement.device_matchers);
}

void WriteInfo(JsonWriter& json, const std::vector<std::pair<std::string, std::string>>& info) {
  json.Key("info");
  json.BeginObject();
  for (const auto& [name, value] : info) {
    json.LabelKey(name);
    json.Label(value);
  }
  json.EndObject();
}

Response JobReply(std::string_view job, const identity::IdentityContext& context) {
  const auto found = identity::ReadJobIdentity(context, job);
  if (!found.ok()) return FailureReply(found.status());
  if (found->placements.empty()) {
    return ErrorReply(ErrorType::kNotFound,
                      absl::StrFormat("no data on where job \"%s\" ran in this time range", job));
  }
  const auto info = identity::ReadJobInfo(context, job);
  if (!info.ok()) return FailureReply(info.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("job", found->job);
    json.Field("world_size", found->world_size);
    WriteInfo(json, *info);
    json.Key("ranks");
    json.BeginArray();
    for (const Placement& placement : found->placements) {
      json.BeginObject();
      WriteFields(json, placement);
      json.EndObject();
    }
    json.EndArray();
    json.Field("warnings", found->warnings);
    json.EndObject();
  });
}

Response GpuReply(std::string_view uuid, const identity::IdentityContext& context) {
  const auto stays = identity::ReadGpuHistory(context, uuid);
  if (!stays.ok()) return FailureReply(stays.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("gpu", uuid);
    json.Key("jobs");
    json.BeginArray();
    for (const identity::GpuStay& stay : *stays) {
      json.BeginObject();
      json.Field("job", stay.job);
      WriteFields(json, stay.placement);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  });
}

}  // namespace

void HandleRegister(const Request& request, Ingester& ingester, int64_t now_ms, Respond respond) {
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> encoding =
      name.empty() ? BodyEncoding::kIdentity : ParseBodyEncoding(name);
  if (!encoding.has_value()) {
    Response response = ErrorReply(
        ErrorType::kBadData,
        absl::StrFormat(
            "unsupported Content-Encoding \"%s\"; expected gzip, deflate, zstd, snappy or identity",
            name));
    response.status = 415;
    return respond(std::move(response));
  }
  const auto decode = [now_ms](std::string_view message, const IngestLimits&, const Storage*) {
    return DecodeRegistrations(message, now_ms);
  };
  ingester.Write(
      ClientOf(request), *encoding, request.body,
      [&](std::string_view message, const IngestLimits& limits, const Storage* storage) {
        return DecodeForJobs(request.grant.jobs, decode, message, limits, storage);
      },
      [respond = std::move(respond)](absl::StatusOr<WriteSummary> summary) mutable {
        respond(RegisterReply(summary));
      });
}

Response HandleIdentity(const Call& call, const Storage& storage, int64_t now_ms,
                        QueryBudget& budget) {
  const std::string_view job = call.form.Get("job");
  const std::string_view gpu = call.form.Get("gpu");
  if (job.empty() == gpu.empty()) {
    return ErrorReply(ErrorType::kBadData,
                      "exactly one of the parameters \"job\" and \"gpu\" is required");
  }
  auto range = ParseTimeRange(call.form.Get("start"), call.form.Get("end"));
  if (!range.ok()) return FailureReply(range.status());
  // Ranks that have not left are still running now; the future is unknown.
  if (call.form.Get("end").empty()) range->max_ms = now_ms;
  const auto querier = storage.NewQuerier();
  if (!querier.ok()) return FailureReply(querier.status());
  const identity::IdentityContext context{**querier, *range, &budget};
  return job.empty() ? GpuReply(gpu, context) : JobReply(job, context);
}

}  // namespace lockstep::api

#include "api/ingest/gateway_handlers.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/content_type.h"
#include "api/http/reply.h"
#include "api/ingest/group_path.h"
#include "api/ingest/write_body.h"
#include "ingest/exposition/exposition_write.h"

namespace lockstep::api {
namespace {

using gateway::PushChange;
using gateway::PushGroups;
using gateway::PushKind;

constexpr std::string_view kPushTime = "push_time_seconds";
constexpr std::string_view kFailureTime = "push_failure_time_seconds";

LabelSet LabelsOf(const ExtraLabels& group) {
  LabelSetBuilder labels;
  for (const auto& [name, value] : group.labels()) labels.Set(name, value);
  return labels.Build();
}

PushKind KindOf(std::string_view method) {
  if (method == "DELETE") return PushKind::kDelete;
  return method == "PUT" ? PushKind::kReplace : PushKind::kUpdate;
}

// nullopt means protobuf.
std::optional<exposition::TextFormat> FormatOf(const Request& request) {
  const ContentType type(request.header("Content-Type"));
  if (type.Is("application/vnd.google.protobuf")) return std::nullopt;
  return type.Is("application/openmetrics-text") ? exposition::TextFormat::kOpenMetrics
                                                 : exposition::TextFormat::kPrometheus;
}

// A push in progress.
struct GroupPush {
  ExtraLabels labels;
  LabelSet group;
  PushKind kind = PushKind::kReplace;
  int64_t now_ms = 0;
  std::optional<PushChange> change{};  // once it is read

  double now_seconds() const { return static_cast<double>(now_ms) / 1e3; }
};

void AddTime(const GroupPush& push, std::string_view name, double seconds, DecodedWrite& write) {
  SeriesWrite series;
  series.labels = LabelSetBuilder(push.group).Set(kMetricName, name).Build();
  series.samples.push_back({push.now_ms, seconds});
  write.request.series.push_back(std::move(series));
  ++write.series_count;
  ++write.sample_count;
}

absl::StatusOr<DecodedWrite> ReadPush(const Request& request, std::string_view body,
                                      const IngestLimits& limits, PushGroups& groups,
                                      GroupPush& push) {
  DecodedWrite write;
  if (push.kind != PushKind::kDelete) {
    const exposition::ExpositionTerms terms{push.now_ms, false, push.labels};
    LOCKSTEP_ASSIGN_OR_RETURN(write,
                              exposition::DecodeExposition(body, FormatOf(request), terms, limits));
    AddTime(push, kPushTime, push.now_seconds(), write);
    AddTime(push, kFailureTime, groups.failure_seconds(push.group), write);
  }
  push.change = groups.Begin(push.group, push.kind, push.now_ms, write);
  LOCKSTEP_RETURN_IF_ERROR(write.memory.status());
  return write;
}

Response GroupPushReply(const absl::StatusOr<WriteSummary>& result, PushKind kind) {
  if (!result.ok()) {
    const WriteFailure failure = BodyFailureOf(result.status());
    return WithRetry(TextReply(failure.http_status, Message(result.status())), failure);
  }
  Response response;
  response.status = kind == PushKind::kDelete ? 202 : 200;
  if (!result->refusals.empty()) {
    response.status = 400;
    response.body = result->refusals.ToString();
  }
  AddFates(*result, response);
  return response;
}

// Records that a push could not be read. Whether that succeeds does not affect the response.
void StoreFailure(const ClientId& client, const GroupPush& push, Ingester& ingester,
                  PushGroups& groups) {
  groups.SetFailure(push.group, push.now_seconds());
  DecodedWrite write;
  AddTime(push, kFailureTime, push.now_seconds(), write);
  ingester.StoreWithinRate(client, std::move(write), [](const absl::StatusOr<WriteSummary>&) {});
}

}  // namespace

void HandleGroupPush(const Request& request, Ingester& ingester, PushGroups& groups, int64_t now_ms,
                     Respond respond) {
  absl::StatusOr<ExtraLabels> labels = ParseGroupPath(request.path());
  if (!labels.ok()) return respond(TextReply(400, Message(labels.status())));
  auto push = std::make_shared<GroupPush>();
  push->labels = *std::move(labels);
  push->group = LabelsOf(push->labels);
  push->kind = KindOf(request.method);
  push->now_ms = now_ms;
  const std::string_view job = push->group.Get("job");
  // Check this before the group is changed.
  if (request.grant.jobs.has_value() && !request.grant.jobs->Matches(job)) {
    return respond(TextReply(
        403,
        absl::StrFormat("this credential may not write the job \"%s\"; nothing was stored", job)));
  }
  const auto decode = [&](std::string_view body, const IngestLimits& limits, const Storage*) {
    return ReadPush(request, body, limits, groups, *push);
  };
  WriteBody(request, ingester, decode,
            [push, client = ClientOf(request), &ingester, &groups,
             respond = std::move(respond)](const absl::StatusOr<WriteSummary>& result) mutable {
              if (push->change.has_value()) {
                groups.End(*push->change, result.ok());
              } else if (absl::IsInvalidArgument(result.status())) {
                StoreFailure(client, *push, ingester, groups);
              }
              respond(GroupPushReply(result, push->kind));
            });
}

}  // namespace lockstep::api

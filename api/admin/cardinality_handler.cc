#include "api/admin/cardinality_handler.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/admin/count_rows.h"
#include "api/http/params.h"
#include "api/http/reply.h"

namespace lockstep::api {
namespace {

constexpr size_t kDefaultLimit = 10;
constexpr int64_t kMaxLimit = 1000;
constexpr std::array<std::string_view, kChurnSpanCount> kSpanKeys = {"last10m", "last1h", "last1d"};

// The parsed request, with the memory charge of its matchers.
struct CardinalityParams {
  size_t limit = kDefaultLimit;
  std::vector<std::vector<Matcher>> matcher_sets;
};

// Adds the job to every matcher set.
absl::Status AddJob(std::string_view job, std::vector<std::vector<Matcher>>& matcher_sets) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Matcher matcher,
                            Matcher::Make(MatchType::kEqual, "job", std::string(job)));
  if (matcher_sets.empty()) matcher_sets.emplace_back();
  for (std::vector<Matcher>& matchers : matcher_sets) matchers.push_back(matcher);
  return absl::OkStatus();
}

// An error is the complete message for the client.
absl::StatusOr<CardinalityParams> ParamsOf(const Form& form, const QueryBudget& budget) {
  CardinalityParams params;
  if (const std::string_view text = form.Get("limit"); !text.empty()) {
    const auto limit = ParseInteger(text);
    if (!limit.ok() || *limit < 1 || *limit > kMaxLimit) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid parameter \"limit\": must be from 1 to %d", kMaxLimit));
    }
    params.limit = static_cast<size_t>(*limit);
  }
  auto matcher_sets = ParseMatcherSets(form.GetAll("match[]"), &budget);
  if (!matcher_sets.ok()) {
    return Annotate(matcher_sets.status(), "invalid parameter \"match[]\"");
  }
  params.matcher_sets = *std::move(matcher_sets);
  if (const std::string_view job = form.Get("job"); !job.empty()) {
    LOCKSTEP_RETURN_IF_ERROR(AddJob(job, params.matcher_sets));
  }
  return params;
}

void WriteChurnRows(JsonWriter& json, std::string_view key, const std::vector<ChurnCount>& rows) {
  WriteNamedRows(json, key, rows, [&](const ChurnCount& row) {
    json.Field("appeared", row.appeared);
    json.Field("left", row.left);
  });
}

void WriteChurn(JsonWriter& json, const CardinalityStats& stats) {
  json.Key("churn");
  json.BeginObject();
  json.Field("sinceMs", stats.churn_since_ms);
  for (size_t span = 0; span < kChurnSpanCount; ++span) {
    const ChurnStats& churn = stats.churn[span];
    json.Key(kSpanKeys[span]);
    json.BeginObject();
    json.Field("appeared", churn.total.appeared);
    json.Field("left", churn.total.left);
    WriteChurnRows(json, "byJob", churn.by_job);
    WriteChurnRows(json, "byMetricName", churn.by_metric_name);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

Response HandleCardinality(const Call& call, const Storage& storage, const QueryBudget& budget) {
  const auto params = ParamsOf(call.form, budget);
  if (!params.ok()) return FailureReply(params.status());
  const auto stats =
      storage.Cardinality({.limit = params->limit, .matcher_sets = params->matcher_sets});
  if (!stats.ok()) return FailureReply(stats.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("series", stats->series_count);
    json.Field("seriesInMemory", stats->head_series_count);
    WriteCounts(json, "seriesCountByJob", stats->series_by_job);
    WriteCounts(json, "seriesCountByMetricName", stats->series_by_metric_name);
    WriteCounts(json, "labelValueCountByLabelName", stats->values_by_label_name);
    WriteCounts(json, "labelValueBytesByLabelName", stats->bytes_by_label_name);
    WriteCounts(json, "seriesCountByLabelValuePair", stats->series_by_label_pair);
    WriteChurn(json, *stats);
    json.EndObject();
  });
}

}  // namespace lockstep::api

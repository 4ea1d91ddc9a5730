#include "api/prometheus/federate_handler.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/http/reply.h"
#include "export/exposition.h"
#include "query/promql/parser/parser.h"

namespace lockstep::api {
namespace {

// nullopt if the series ended with a stale marker or has no sample.
std::optional<ExposedSample> NewestOf(const SampleColumns& samples) {
  ExposedSample newest;
  bool found = false;
  if (!samples.values.empty()) {
    found = !IsStaleNan(samples.values.back());
    newest.timestamp_ms = samples.timestamps_ms.back();
    newest.value = samples.values.back();
  }
  const HistogramSample* const histogram =
      samples.histograms.empty() ? nullptr : &samples.histograms.back();
  if (histogram != nullptr &&
      (samples.values.empty() || histogram->timestamp_ms > newest.timestamp_ms)) {
    found = !IsStaleNan(histogram->histogram->sum);
    newest.timestamp_ms = histogram->timestamp_ms;
    newest.histogram = histogram->histogram;
  }
  if (!found) return std::nullopt;
  return newest;
}

// The latest samples of the selected series, each series once.
class Collection {
 public:
  Collection(const FederateContext& context, QueryBudget& budget)
      : context_(context), budget_(budget) {}

  absl::Status Add(const Querier& querier, const std::vector<Matcher>& matchers) {
    const TimeRange range{context_.now_ms - context_.lookback_ms, context_.now_ms};
    LOCKSTEP_ASSIGN_OR_RETURN(
        const auto series,
        querier.Select({.matchers = matchers, .range = range, .budget = &budget_}));
    while (series->Next()) {
      LOCKSTEP_RETURN_IF_ERROR(budget_.Check());
      columns_.Clear();
      LOCKSTEP_RETURN_IF_ERROR(series->Read(columns_));
      context_.progress.samples_read += static_cast<int64_t>(columns_.size());
      auto newest = NewestOf(columns_);
      if (!newest || !series->labels().Has(kMetricName)) continue;
      LOCKSTEP_RETURN_IF_ERROR(budget_.Charge(kSamplesPerSeries));
      newest->labels = series->labels();
      samples_.push_back(*std::move(newest));
    }
    return series->status();
  }

  // Sorted by metric name, then labels.
  const std::vector<ExposedSample>& Finish() {
    std::sort(samples_.begin(), samples_.end(), [](const ExposedSample& a, const ExposedSample& b) {
      if (const int order = a.labels.metric_name().compare(b.labels.metric_name()); order != 0) {
        return order < 0;
      }
      return a.labels < b.labels;
    });
    const auto same = [](const ExposedSample& a, const ExposedSample& b) {
      return a.labels == b.labels;
    };
    samples_.erase(std::unique(samples_.begin(), samples_.end(), same), samples_.end());
    return samples_;
  }

 private:
  // The cost of a series here, with its labels and line of text, in units of 16 bytes.
  static constexpr int64_t kSamplesPerSeries = 64;

  const FederateContext& context_;
  QueryBudget& budget_;
  SampleColumns columns_;
  std::vector<ExposedSample> samples_;
};

absl::Status Collect(const Call& call, const FederateContext& context, const QueryBudget& budget,
                     Collection& collection) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  for (const std::string_view selector : call.form.GetAll("match[]")) {
    LOCKSTEP_ASSIGN_OR_RETURN(const auto matchers, promql::ParseMetricSelector(selector, &budget));
    // As in Prometheus, "{}" selects nothing.
    if (!matchers.empty()) LOCKSTEP_RETURN_IF_ERROR(collection.Add(*querier, matchers));
  }
  return absl::OkStatus();
}

}  // namespace

Response HandleFederate(const Call& call, const FederateContext& context, QueryBudget& budget) {
  Collection collection(context, budget);
  if (const absl::Status status = Collect(call, context, budget, collection); !status.ok()) {
    return PlainFailureReply(status);
  }
  const Exposition exposition = NegotiateExposition(call.request.header("Accept"));
  Response response;
  response.content_type = ContentTypeOf(exposition);
  response.body = WriteExposition(exposition, collection.Finish());
  return response;
}

}  // namespace lockstep::api

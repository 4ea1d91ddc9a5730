#include "import/delivery/record_batch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_format.h"
#include "ingest/logs/record/metric_catalogue.h"
#include "ingest/push/step_batch.h"

namespace lockstep::importer {
namespace {

using traces::TraceLabel;
using traces::TraceRecord;

// Whether the record's step counts steps, not samples.
bool IsOverSteps(const TraceRecord& record) {
  return record.step.has_value() &&
         std::ranges::none_of(record.labels,
                              [](const TraceLabel& label) { return label.name == "axis"; });
}

enum class OwnLabels : uint8_t { kWith, kWithout };

LabelSet LabelsOf(std::string_view name, const logs::LogHints& owner, const TraceRecord& record,
                  OwnLabels own) {
  const std::optional<int32_t> number = record.rank.has_value() ? record.rank : owner.rank;
  const std::string rank = number.has_value() ? absl::StrFormat("%d", *number) : "";
  const std::string attempt = absl::StrFormat("%d", owner.attempt);
  std::vector<LabelView> labels = {{kMetricName, name}, {"attempt", attempt}};
  const auto add = [&labels](std::string_view label, std::string_view value) {
    if (!value.empty()) labels.push_back({label, value});
  };
  add("job", owner.job);
  add("run", owner.run);
  add("rank", rank);
  if (own == OwnLabels::kWith) {
    for (const TraceLabel& label : record.labels) add(label.name, label.value);
  }
  return LabelSet::Of(std::move(labels));
}

uint64_t HashOf(const LabelSet& labels) { return absl::Hash<LabelSet>()(labels); }

}  // namespace

void RecordBatch::Add(const logs::LogHints& owner, const TraceRecord& record) {
  const int64_t logged_ms = record.time_ms.value_or(time_ms_ + record.since_begin_ms.value_or(0));
  LabelSet labels = LabelsOf(logs::CleanMetricName(record.metric), owner, record, OwnLabels::kWith);
  const uint64_t series = HashOf(labels);
  if (!IsOverSteps(record)) {
    // A step not shared with other series.
    const SampleTimes::Place place =
        times_.Find({series, series, logged_ms, record.step, record.value});
    if (!place.is_duplicate) Append(std::move(labels), {place.time_ms, record.value});
    return;
  }
  LabelSet step_labels = LabelsOf(push::kStepMetric, owner, record, OwnLabels::kWithout);
  const SampleTimes::Place place =
      times_.Find({HashOf(step_labels), series, logged_ms, record.step, record.value});
  if (place.is_duplicate) return;
  Append(std::move(labels), {place.time_ms, record.value});
  // Another value of the step has already added it.
  if (!place.is_first) return;
  Append(std::move(step_labels), {place.time_ms, static_cast<double>(*record.step)});
}

void RecordBatch::Clear() {
  request_.series.clear();
  series_index_.clear();
  sample_count_ = 0;
}

void RecordBatch::Append(LabelSet labels, Sample sample) {
  const auto [at, is_new] = series_index_.try_emplace(labels, request_.series.size());
  if (is_new) request_.series.push_back({std::move(labels), {}, {}});
  request_.series[at->second].samples.push_back(sample);
  ++sample_count_;
}

}  // namespace lockstep::importer

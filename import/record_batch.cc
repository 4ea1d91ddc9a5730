#include "import/record_batch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/logs/metric_catalogue.h"
#include "ingest/push/step_batch.h"

namespace lockstep::importer {
namespace {

using traces::TraceLabel;
using traces::TraceRecord;

// A value over a count of samples says nothing of the step.
bool IsOverSteps(const TraceRecord& record) {
  return record.step.has_value() &&
         std::ranges::none_of(record.labels,
                              [](const TraceLabel& label) { return label.name == "axis"; });
}

}  // namespace

void RecordBatch::Add(const TraceRecord& record) {
  const int64_t time_ms = record.time_ms.value_or(time_ms_ + record.since_begin_ms.value_or(0));
  Append(LabelsOf(logs::CleanMetricName(record.metric), record, true), {time_ms, record.value});
  if (!IsOverSteps(record)) return;
  Append(LabelsOf(push::kStepMetric, record, false), {time_ms, static_cast<double>(*record.step)});
}

void RecordBatch::Clear() {
  request_.series.clear();
  series_index_.clear();
  sample_count_ = 0;
}

LabelSet RecordBatch::LabelsOf(std::string_view name, const TraceRecord& record,
                               bool with_own) const {
  const std::optional<int32_t> number = record.rank.has_value() ? record.rank : hints_.rank;
  const std::string rank = number.has_value() ? absl::StrFormat("%d", *number) : "";
  const std::string attempt = absl::StrFormat("%d", hints_.attempt);
  std::vector<LabelView> labels = {{kMetricName, name}, {"attempt", attempt}};
  const auto add = [&labels](std::string_view label, std::string_view value) {
    if (!value.empty()) labels.push_back({label, value});
  };
  add("job", hints_.job);
  add("run", hints_.run);
  add("rank", rank);
  if (with_own) {
    for (const TraceLabel& label : record.labels) add(label.name, label.value);
  }
  return LabelSet::Of(std::move(labels));
}

void RecordBatch::Append(LabelSet labels, Sample sample) {
  const auto [at, is_new] = series_index_.try_emplace(labels, request_.series.size());
  if (is_new) request_.series.push_back({std::move(labels), {}, {}});
  std::vector<Sample>& samples = request_.series[at->second].samples;
  // Several values of a step say it again.
  const bool is_again = !samples.empty() && samples.back().timestamp_ms == sample.timestamp_ms &&
                        samples.back().value == sample.value;
  if (is_again) return;
  samples.push_back(sample);
  ++sample_count_;
}

}  // namespace lockstep::importer

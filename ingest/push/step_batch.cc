#include "ingest/push/step_batch.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/logs/state_coding.h"
#include "ingest/push/push_limits.h"

namespace lockstep::push {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

// What can stand in no label: so that texts beside each other are told apart.
constexpr char kSeparator = '\xff';

void AddLabel(Labels& labels, std::string_view name, std::string_view value) {
  if (!value.empty()) labels.emplace_back(name, value);
}

}  // namespace

void StepBatch::Take(const logs::LogRecord& record) {
  Owner& owner = OwnerOf(record);
  const int64_t time_ms = TimeOf(record, owner);
  if (record.kind == logs::RecordKind::kEvent) {
    const auto [event, is_new] = owner.events.try_emplace(std::string(record.event));
    if (is_new) {
      event->second = FindSeries(owner, kEventMetric, {{"event", std::string(record.event)}});
    }
    Add(*event->second, {time_ms, 1});
    return;
  }
  for (const logs::LogValue& value : record.values) AddValue(owner, value, time_ms);
  if (record.step.has_value()) {
    if (owner.steps == nullptr) owner.steps = FindSeries(owner, kStepMetric, {});
    Add(*owner.steps, {time_ms, static_cast<double>(*record.step)});
  }
}

int64_t StepBatch::TimeOf(const logs::LogRecord& record, Owner& owner) {
  const int64_t time_ms = clock_.TimeOf(record);
  const bool is_logged_step = record.step.has_value() && record.time_ms.has_value() &&
                              record.kind != logs::RecordKind::kEvent;
  return is_logged_step ? owner.step_times.TimeOf(*record.step, time_ms) : time_ms;
}

WriteRequest StepBatch::TakeRequest() {
  ++request_number_;
  return std::exchange(request_, WriteRequest());
}

Refusals StepBatch::TakeRefusals() { return std::exchange(refusals_, Refusals()); }

void StepBatch::AppendState(std::string& out) const {
  clock_.AppendState(out);
  PutVarint64(out, owners_.size());
  for (const auto& [text, owner] : owners_) {
    PutLengthPrefixed(out, text);
    PutVarint64(out, owner->labels.size());
    for (const auto& [name, value] : owner->labels) {
      PutLengthPrefixed(out, name);
      PutLengthPrefixed(out, value);
    }
    owner->step_times.AppendState(out);
  }
}

bool StepBatch::LoadState(std::string_view& in) {
  uint64_t count = 0;
  if (!clock_.LoadState(in) || !logs::GetBelow(in, kMaxOwnersPerStream + 1, count)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view text;
    uint64_t label_count = 0;
    if (!GetLengthPrefixed(in, text) || !GetVarint64(in, label_count)) return false;
    auto owner = std::make_unique<Owner>();
    for (uint64_t j = 0; j < label_count; ++j) {
      std::string_view name, value;
      if (!GetLengthPrefixed(in, name) || !GetLengthPrefixed(in, value)) return false;
      owner->labels.emplace_back(name, value);
    }
    if (!owner->step_times.LoadState(in)) return false;
    owners_[std::string(text)] = std::move(owner);
  }
  return true;
}

StepBatch::Owner& StepBatch::OwnerOf(const logs::LogRecord& record) {
  DescribeOwner(record);
  if (last_owner_ != nullptr && owner_text_ == last_owner_text_) return *last_owner_;
  if (owners_.size() >= kMaxOwnersPerStream && !owners_.contains(owner_text_)) {
    return refused_owner_;
  }
  std::unique_ptr<Owner>& owner = owners_[owner_text_];
  if (owner == nullptr) owner = std::make_unique<Owner>(MakeOwner(record));
  last_owner_ = owner.get();
  last_owner_text_ = owner_text_;
  return *owner;
}

void StepBatch::DescribeOwner(const logs::LogRecord& record) {
  owner_text_.assign(record.job).push_back(kSeparator);
  owner_text_.append(record.run).push_back(kSeparator);
  const int32_t numbers[] = {record.rank.value_or(-1), static_cast<int32_t>(record.attempt)};
  owner_text_.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  for (const logs::RecordLabel& label : record.labels) {
    owner_text_.append(label.name).push_back(kSeparator);
    owner_text_.append(label.value).push_back(kSeparator);
  }
}

StepBatch::Owner StepBatch::MakeOwner(const logs::LogRecord& record) const {
  Owner owner;
  AddLabel(owner.labels, "job", record.job.empty() ? hints_.job : record.job);
  AddLabel(owner.labels, "run", record.run.empty() ? hints_.run : record.run);
  if (record.rank.has_value()) AddLabel(owner.labels, "rank", absl::StrFormat("%d", *record.rank));
  AddLabel(owner.labels, "attempt", absl::StrFormat("%d", record.attempt));
  for (const logs::RecordLabel& label : record.labels) {
    AddLabel(owner.labels, label.name, label.value);
  }
  return owner;
}

void StepBatch::AddValue(Owner& owner, const logs::LogValue& value, int64_t time_ms) {
  const auto [series, is_new] = owner.by_key.try_emplace(value.key);
  if (is_new) series->second = FindSeries(owner, value.key->name, value.key->labels);
  Add(*series->second, {time_ms, value.key->InUnit(value.value)});
}

StepBatch::Series* StepBatch::FindSeries(Owner& owner, std::string_view name,
                                         const Labels& own_labels) {
  std::vector<LabelView> labels = {{kMetricName, name}};
  for (const auto& [label, value] : owner.labels) labels.push_back({label, value});
  for (const auto& [label, value] : own_labels) labels.push_back({label, value});
  // Of a label given twice the metric's own counts.
  LabelSet set = LabelSet::Of(std::move(labels));
  std::unique_ptr<Series>& series = owner.by_labels[set];
  if (series != nullptr) return series.get();
  series = std::make_unique<Series>();
  series->labels = std::move(set);
  const std::vector<LabelView> sorted(series->labels.begin(), series->labels.end());
  series->refusal = CheckLabels(sorted, limits_);
  if (owner.is_refused || ++series_count_ > kMaxSeriesPerStream) {
    series->refusal = BadLabels{RejectReason::kSeriesLimit, "the stream has too many series"};
  }
  return series.get();
}

void StepBatch::Add(Series& series, Sample sample) {
  if (series.refusal.has_value()) {
    const std::vector<LabelView> labels(series.labels.begin(), series.labels.end());
    refusals_.Add(series.refusal->reason, 1, labels, series.refusal->why);
    return;
  }
  if (series.request != request_number_) {
    series.request = request_number_;
    series.index = request_.series.size();
    request_.series.push_back({series.labels, {}, {}, {}});
  }
  std::vector<Sample>& samples = request_.series[series.index].samples;
  // Several lines of a step say it again.
  const bool is_again = !samples.empty() && samples.back().timestamp_ms == sample.timestamp_ms &&
                        samples.back().value == sample.value;
  if (!is_again) samples.push_back(sample);
}

}  // namespace lockstep::push

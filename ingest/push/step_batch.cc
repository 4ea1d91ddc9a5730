#include "ingest/push/step_batch.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/push/push_limits.h"

namespace lockstep::push {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

bool IsSame(const Sample& a, const Sample& b) {
  return a.timestamp_ms == b.timestamp_ms &&
         std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
}

// A byte that is invalid in labels, to separate adjacent texts.
constexpr char kSeparator = '\xff';
constexpr std::string_view kNoMemory =
    "there is not enough memory for more series (--memory-limit)";

void AddLabel(Labels& labels, std::string_view name, std::string_view value) {
  if (!value.empty()) labels.emplace_back(name, value);
}

}  // namespace

void StepBatch::Take(const logs::LogRecord& record) {
  Owner* const found = OwnerOf(record);
  if (found == nullptr) return RefuseRecord(record);
  Owner& owner = *found;
  const int64_t time_ms = TimeOf(record, owner);
  if (record.kind == logs::RecordKind::kEvent) {
    const auto [event, is_new] = owner.events.try_emplace(std::string(record.event));
    if (is_new) {
      event->second = FindSeries(owner, kEventMetric, {{"event", std::string(record.event)}});
    }
    if (event->second != nullptr) return Add(*event->second, {time_ms, 1});
    owner.events.erase(event);
    return RefuseValue(kEventMetric);
  }
  for (const logs::LogValue& value : record.values) {
    AddValue(owner, value, time_ms, record.step.has_value());
  }
  if (record.step.has_value()) {
    if (owner.steps == nullptr) owner.steps = FindSeries(owner, kStepMetric, {});
    if (owner.steps == nullptr) return RefuseValue(kStepMetric);
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

StepBatch::Owner* StepBatch::OwnerOf(const logs::LogRecord& record) {
  DescribeOwner(record);
  if (last_owner_ != nullptr && owner_text_ == last_owner_text_) return last_owner_;
  auto found = owners_.find(owner_text_);
  if (found == owners_.end()) {
    if (std::optional<BadLabels> refusal = RefusalOf(record)) {
      last_refusal_ = *std::move(refusal);
      return nullptr;
    }
    if (owners_.size() >= kMaxOwnersPerStream) {
      last_refusal_ = {RejectReason::kSeriesLimit, "the stream has too many series"};
      return nullptr;
    }
    if (!TakeMemory(owner_text_.size() + sizeof(Owner))) {
      last_refusal_ = {RejectReason::kSeriesLimit, std::string(kNoMemory)};
      return nullptr;
    }
    found = owners_.emplace(owner_text_, std::make_unique<Owner>(MakeOwner(record))).first;
  }
  last_owner_ = found->second.get();
  last_owner_text_ = owner_text_;
  return last_owner_;
}

// Checked before the labels are used, because each of the owner's series would have them.
std::optional<BadLabels> StepBatch::RefusalOf(const logs::LogRecord& record) const {
  const auto check = [this](std::string_view text) -> std::optional<BadLabels> {
    if (text.size() <= limits_.max_label_value_bytes) return std::nullopt;
    return BadLabels{RejectReason::kLabelTooLong,
                     absl::StrFormat("a label value of %d bytes is longer than the limit of %d",
                                     text.size(), limits_.max_label_value_bytes)};
  };
  for (const std::string_view text :
       {record.job.empty() ? std::string_view(hints_.job) : record.job,
        record.run.empty() ? std::string_view(hints_.run) : record.run}) {
    if (auto refusal = check(text)) return refusal;
  }
  for (const logs::RecordLabel& label : record.labels) {
    if (auto refusal = check(label.value)) return refusal;
  }
  return std::nullopt;
}

void StepBatch::RefuseRecord(const logs::LogRecord& record) {
  const bool is_event = record.kind == logs::RecordKind::kEvent;
  const uint64_t sample_count =
      is_event ? 1 : record.values.size() + (record.step.has_value() ? 1 : 0);
  if (sample_count == 0) return;
  const std::string_view name = is_event                ? kEventMetric
                                : record.values.empty() ? kStepMetric
                                                        : record.values[0].key->name;
  const LabelView labels[] = {{kMetricName, name}};
  refusals_.Add(last_refusal_.reason, sample_count, labels, last_refusal_.why);
}

void StepBatch::RefuseValue(std::string_view name) {
  const LabelView labels[] = {{kMetricName, name}};
  refusals_.Add(RejectReason::kSeriesLimit, 1, labels, kNoMemory);
}

bool StepBatch::TakeMemory(size_t label_bytes) {
  // The labels are in the map, the series and requests; the rest is the overhead of maps and
  // series.
  constexpr uint64_t kCopies = 3;
  constexpr uint64_t kOverheadBytes = 256;
  return memory_.Add(kCopies * label_bytes + kOverheadBytes).ok();
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

// Logs write whole seconds, with several measurements in one. As for steps, a log whose times go
// back is trusted.
int64_t StepBatch::FreeTimeOf(Series& series, Sample logged) {
  const std::optional<Sample> last = std::exchange(series.last_logged, logged);
  if (!last.has_value() || logged.timestamp_ms < last->timestamp_ms) {
    series.last_stored_ms = logged.timestamp_ms;
  } else if (!IsSame(logged, *last) &&
             series.last_stored_ms < std::numeric_limits<int64_t>::max()) {
    series.last_stored_ms = std::max(logged.timestamp_ms, series.last_stored_ms + 1);
  }
  return series.last_stored_ms;
}

void StepBatch::AddValue(Owner& owner, const logs::LogValue& value, int64_t time_ms,
                         bool has_step) {
  const auto [series, is_new] = owner.by_key.try_emplace(value.key);
  if (is_new) series->second = FindSeries(owner, value.key->name, value.key->labels);
  if (series->second == nullptr) {
    owner.by_key.erase(series);
    return RefuseValue(value.key->name);
  }
  Sample sample{time_ms, value.key->InUnit(value.value)};
  if (!has_step) sample.timestamp_ms = FreeTimeOf(*series->second, sample);
  Add(*series->second, sample);
}

StepBatch::Series* StepBatch::FindSeries(Owner& owner, std::string_view name,
                                         const Labels& own_labels) {
  std::vector<LabelView> labels = {{kMetricName, name}};
  for (const auto& [label, value] : owner.labels) labels.push_back({label, value});
  for (const auto& [label, value] : own_labels) labels.push_back({label, value});
  // If a label is given twice, the metric's own wins.
  LabelSet set = LabelSet::Of(std::move(labels));
  if (const auto found = owner.by_labels.find(set); found != owner.by_labels.end()) {
    return found->second.get();
  }
  if (!TakeMemory(set.bytes().size())) return nullptr;
  std::unique_ptr<Series>& series = owner.by_labels[set];
  series = std::make_unique<Series>();
  series->labels = std::move(set);
  const std::vector<LabelView> sorted(series->labels.begin(), series->labels.end());
  series->refusal = CheckLabels(sorted, limits_);
  if (++series_count_ > kMaxSeriesPerStream) {
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
  // Several lines of a step repeat it.
  const bool is_again = !samples.empty() && samples.back().timestamp_ms == sample.timestamp_ms &&
                        samples.back().value == sample.value;
  if (!is_again) samples.push_back(sample);
}

}  // namespace lockstep::push

#include "query/engine/selectors/series_reader.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "query/engine/context/histogram_stats.h"
#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/values/column.h"
#include "query/engine/values/sample_charge.h"

namespace lockstep::engine {
namespace {

class StoredPart : public SeriesPart {
 public:
  StoredPart(std::unique_ptr<SeriesSet> set, const SelectorRead& read, QueryContext& context)
      : set_(std::move(set)),
        budget_(context.budget),
        resolves_resets_(context.histogram_stats_selectors.contains(&read.selector)),
        keep_stale_markers_(read.keep_stale_markers),
        selector_(read.selector),
        trace_(context.trace),
        samples_read_(context.samples_read),
        charge_(context.budget) {}
  ~StoredPart() override {
    if (trace_ != nullptr) trace_->Add(selector_, cost_);
  }

  absl::StatusOr<bool> Next() override {
    LOCKSTEP_RETURN_IF_ERROR(budget_.Check());
    const TimeSpan span(trace_ == nullptr ? nullptr : &cost_.read_seconds);
    if (!set_->Next()) {
      LOCKSTEP_RETURN_IF_ERROR(set_->status());
      return false;
    }
    samples_.Clear();
    charge_.Reset();
    LOCKSTEP_RETURN_IF_ERROR(set_->Read(samples_));
    LOCKSTEP_RETURN_IF_ERROR(charge_.Add(BudgetSize(samples_)));
    Count();
    if (resolves_resets_) KeepStatsOnly(samples_);
    if (!keep_stale_markers_) RemoveStaleMarkers(samples_);
    return true;
  }
  size_t position() const override { return set_->position(); }
  const LabelSet& labels() const override { return set_->labels(); }
  bool drop_name() const override { return false; }
  SampleColumns& samples() override { return samples_; }

 private:
  // Counts the samples read for the current series.
  void Count() {
    const auto sample_count = static_cast<int64_t>(samples_.size());
    if (samples_read_ != nullptr) {
      samples_read_->fetch_add(sample_count, std::memory_order_relaxed);
    }
    cost_.sample_count += sample_count;
    if (sample_count > 0) ++cost_.series_count;
    if (trace_ == nullptr) return;
    for (const uint32_t left_out : samples_.left_out) cost_.left_out_count += left_out;
  }

  const std::unique_ptr<SeriesSet> set_;
  QueryBudget& budget_;
  const bool resolves_resets_;  // see histogram_stats.h
  const bool keep_stale_markers_;
  const promql::VectorSelector& selector_;
  QueryTrace* const trace_;                   // may be null
  std::atomic<int64_t>* const samples_read_;  // may be null
  NodeCost cost_;
  SampleCharge charge_;
  SampleColumns samples_;
};

// `left_out` belongs to the first of the values.
void RemoveBesideStaleMarkers(const std::vector<double>& values, std::vector<uint32_t>& left_out) {
  size_t kept = 0;
  for (size_t i = 0; i < left_out.size(); ++i) {
    if (!IsStaleNan(values[i])) left_out[kept++] = left_out[i];
  }
  left_out.resize(kept);
}

}  // namespace

absl::StatusOr<SeriesParts> OpenSelector(const SelectorRead& read, QueryContext& context,
                                         size_t max_parts) {
  // Reset hints depend on earlier samples.
  const bool resolves_resets = context.histogram_stats_selectors.contains(&read.selector);
  const Selection selection{read.selector.matchers, read.range, &context.budget,
                            resolves_resets ? SamplesNeeded::kAll : read.needed,
                            resolves_resets ? StepTimes() : read.steps};
  NodeCost cost;
  std::optional<TimeSpan> span(context.trace == nullptr ? nullptr : &cost.read_seconds);
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<SeriesSet> set, context.querier.Select(selection));
  span.reset();
  if (context.trace != nullptr) context.trace->Add(read.selector, cost);
  SeriesParts parts;
  parts.series_count = set->size();
  context.stats.series_count += parts.series_count;
  const size_t part_count = PartsFor(set->work(), max_parts);
  if (part_count == 1) {
    parts.parts.push_back(std::make_unique<StoredPart>(std::move(set), read, context));
    return parts;
  }
  for (std::unique_ptr<SeriesSet>& part : set->Split(part_count)) {
    parts.parts.push_back(std::make_unique<StoredPart>(std::move(part), read, context));
  }
  return parts;
}

int64_t BudgetSize(const SampleColumns& columns) {
  int64_t size = static_cast<int64_t>(columns.values.size());
  for (const HistogramSample& sample : columns.histograms) size += BudgetSize(*sample.histogram);
  return size;
}

void RemoveStaleMarkers(SampleColumns& columns) {
  std::erase_if(columns.histograms,
                [](const HistogramSample& sample) { return IsStaleMarker(*sample.histogram); });
  // Most series have none.
  if (std::ranges::none_of(columns.values, IsStaleNan)) return;
  const bool has_starts = !columns.start_timestamps_ms.empty();
  if (has_starts) columns.start_timestamps_ms.resize(columns.values.size());
  RemoveBesideStaleMarkers(columns.values, columns.left_out);
  size_t kept = 0;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    if (IsStaleNan(columns.values[i])) continue;
    columns.timestamps_ms[kept] = columns.timestamps_ms[i];
    columns.values[kept] = columns.values[i];
    if (has_starts) columns.start_timestamps_ms[kept] = columns.start_timestamps_ms[i];
    ++kept;
  }
  columns.timestamps_ms.resize(kept);
  columns.values.resize(kept);
  if (has_starts) columns.start_timestamps_ms.resize(kept);
}

}  // namespace lockstep::engine

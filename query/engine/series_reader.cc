#include "query/engine/series_reader.h"

#include "query/engine/column.h"
#include "query/engine/histogram_stats.h"
#include "query/engine/kernels/histogram_math.h"

namespace lockstep::engine {
namespace {

// `left_out` is of the first of the values.
void RemoveBesideStaleMarkers(const std::vector<double>& values, std::vector<uint32_t>& left_out) {
  size_t kept = 0;
  for (size_t i = 0; i < left_out.size(); ++i) {
    if (!IsStaleNan(values[i])) left_out[kept++] = left_out[i];
  }
  left_out.resize(kept);
}

}  // namespace

absl::StatusOr<SeriesReader> SeriesReader::Open(const promql::VectorSelector& selector,
                                                TimeRange range, QueryContext& context,
                                                SamplesNeeded needed) {
  const Selection selection{selector.matchers, range, &context.budget, needed};
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<SeriesSet> set, context.querier.Select(selection));
  return SeriesReader(std::move(set), selector, context);
}

absl::StatusOr<bool> SeriesReader::Next() {
  LOCKSTEP_RETURN_IF_ERROR(context_->budget.Check());
  if (!set_->Next()) {
    LOCKSTEP_RETURN_IF_ERROR(set_->status());
    return false;
  }
  ++context_->stats.series_count;
  samples_.Clear();
  charge_.Reset();
  LOCKSTEP_RETURN_IF_ERROR(set_->Read(samples_));
  LOCKSTEP_RETURN_IF_ERROR(charge_.Add(BudgetSize(samples_)));
  if (resolves_resets_) KeepStatsOnly(samples_);
  return true;
}

int64_t BudgetSize(const SampleColumns& columns) {
  int64_t size = static_cast<int64_t>(columns.values.size());
  for (const HistogramSample& sample : columns.histograms) size += BudgetSize(*sample.histogram);
  return size;
}

void RemoveStaleMarkers(SampleColumns& columns) {
  const bool has_starts = !columns.start_timestamps_ms.empty();
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
  std::erase_if(columns.histograms,
                [](const HistogramSample& sample) { return IsStaleMarker(*sample.histogram); });
}

}  // namespace lockstep::engine

#include "query/engine/values/sample_counts.h"

namespace lockstep::engine {

void SampleCounts::Add(const Column& column) {
  if (!is_per_step() && !column.has_histograms()) {
    return AddToTotal(static_cast<int64_t>(column.PresentCount()));
  }
  column.ForEachPresent([&](size_t step) {
    const Histogram* const histogram = column.histogram(step);
    Add(step, histogram != nullptr ? BudgetSize(*histogram) : 1);
  });
}

}  // namespace lockstep::engine

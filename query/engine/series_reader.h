// SeriesReader: one walk over the series of a selection, with their samples.
#pragma once

#include <memory>
#include <utility>

#include "base/status.h"
#include "model/sample.h"
#include "query/engine/query_context.h"
#include "query/engine/sample_charge.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// Holds the samples of one series at a time, charged to the query's budget. Not thread-safe; must not
// outlive the context.
class SeriesReader {
 public:
  // The series that `selector` matches, samples inside `range`, at least those that are needed. Its
  // modifiers are the caller's.
  static absl::StatusOr<SeriesReader> Open(const promql::VectorSelector& selector, TimeRange range,
                                           QueryContext& context,
                                           SamplesNeeded needed = SamplesNeeded::kAll);

  // Moves to the next series; false at the end. What labels() and samples() gave out ends here.
  absl::StatusOr<bool> Next();
  const LabelSet& labels() const { return set_->labels(); }
  // Mutable: the reader has no further use for it.
  SampleColumns& samples() { return samples_; }

 private:
  SeriesReader(std::unique_ptr<SeriesSet> set, const promql::VectorSelector& selector,
               QueryContext& context)
      : set_(std::move(set)),
        context_(&context),
        resolves_resets_(context.histogram_stats_selectors.contains(&selector)),
        charge_(context.budget) {}

  std::unique_ptr<SeriesSet> set_;
  QueryContext* context_;
  bool resolves_resets_;  // see histogram_stats.h
  SampleCharge charge_;
  SampleColumns samples_;
};

// How many samples `columns` cost in a QueryBudget.
int64_t BudgetSize(const SampleColumns& columns);
// Removes the samples that say that the series ended.
void RemoveStaleMarkers(SampleColumns& columns);

}  // namespace lockstep::engine

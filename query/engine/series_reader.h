// SeriesReader: one walk over the series of a selection, with their samples.
#pragma once

#include <memory>
#include <span>

#include "base/status.h"
#include "model/matcher.h"
#include "model/sample.h"
#include "query/engine/query_context.h"
#include "query/engine/sample_charge.h"

namespace lockstep::engine {

// Holds the samples of one series at a time, charged to the query's budget. Not thread-safe; must not
// outlive the context.
class SeriesReader {
 public:
  // Series that match all of `matchers`, samples inside `range`.
  static absl::StatusOr<SeriesReader> Open(std::span<const Matcher> matchers, TimeRange range,
                                           QueryContext& context);

  // Moves to the next series; false at the end. What labels() and samples() gave out ends here.
  absl::StatusOr<bool> Next();
  const LabelSet& labels() const { return set_->labels(); }
  // Mutable: the reader has no further use for it.
  SampleColumns& samples() { return samples_; }

 private:
  SeriesReader(std::unique_ptr<SeriesSet> set, QueryContext& context)
      : set_(std::move(set)), context_(&context), charge_(context.budget) {}

  std::unique_ptr<SeriesSet> set_;
  QueryContext* context_;
  SampleCharge charge_;
  SampleColumns samples_;
};

// How many samples `columns` cost in a QueryBudget.
int64_t BudgetSize(const SampleColumns& columns);
// Removes the samples that say that the series ended.
void RemoveStaleMarkers(SampleColumns& columns);

}  // namespace lockstep::engine

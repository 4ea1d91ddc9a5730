// Histograms for which only count and sum are needed.
//
// Inside histogram_count, histogram_sum and histogram_avg, Prometheus drops the buckets while it
// reads. Because buckets also show counter resets, it first records these in the hints. We do the
// same, because it is visible: in warnings about conflicting resets, and in custom bounds, which
// cannot differ when dropped.
#pragma once

#include "absl/container/flat_hash_set.h"
#include "model/sample.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

using SelectorSet = absl::flat_hash_set<const promql::VectorSelector*>;

// The selectors below one of those functions, without a subquery, a trim operator or a function
// that needs buckets in between. Borrows `expr`.
SelectorSet FindHistogramStatsSelectors(const promql::Expr& expr);

// Drops the buckets of all histograms. Replaces each unknown hint, except the first histogram's, by
// the result of a comparison with the previous histogram. Keeps stale markers.
void KeepStatsOnly(SampleColumns& columns);

}  // namespace lockstep::engine

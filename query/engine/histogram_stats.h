// Histograms of which only count and sum will be asked.
//
// Inside histogram_count, histogram_sum and histogram_avg Prometheus drops the buckets while it reads.
// As buckets also tell of counter resets, it first writes what they say into the hints. We do the same,
// because it shows: in warnings about conflicting resets, and in custom bounds that cannot differ when
// there are none.
#pragma once

#include "absl/container/flat_hash_set.h"
#include "model/sample.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

using SelectorSet = absl::flat_hash_set<const promql::VectorSelector*>;

// The selectors below one of those functions, with no subquery, trim operator, or function that needs
// buckets above them. Borrows `expr`.
SelectorSet FindHistogramStatsSelectors(const promql::Expr& expr);

// Takes the buckets off all histograms. Every unknown hint but the first histogram's becomes what
// comparing with the one before says. Stale markers stay as they are.
void KeepStatsOnly(SampleColumns& columns);

}  // namespace lockstep::engine

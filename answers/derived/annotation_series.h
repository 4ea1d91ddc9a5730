// lockstep_annotation: annotations as series that are 1 while they last.
#pragma once

#include <vector>

#include "annotations/annotation_store.h"
#include "answers/derived/derived_metrics.h"
#include "base/budget/query_budget.h"
#include "base/status.h"
#include "storage/query.h"

namespace lockstep::answers {

// Appends the series that match `selection`: one for each `job`, `kind`, `text`, `tags` and set of
// further labels. They have samples at the begin and the end of
// each annotation and every 15 s between, farther apart if that were too many, and a stale marker
// 15 s after the end. What has not ended lasts to the end of the selection. Samples are charged to
// `budget`.
absl::Status AppendAnnotations(const annotations::AnnotationStore& annotations,
                               const Selection& selection, QueryBudget& budget,
                               std::vector<DerivedSeries>& series);

}  // namespace lockstep::answers

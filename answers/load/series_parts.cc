#include "answers/load/series_parts.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/status.h"

namespace lockstep::answers {
namespace {

// Fewer series are not worth starting another thread.
constexpr size_t kSeriesPerPart = 64;
// Parts end at different times: with more parts than threads, no thread waits long for the last
// one.
constexpr size_t kPartsPerThread = 4;

absl::Status VisitPart(SeriesSet& set, QueryBudget& budget, VisitSeries visit) {
  SampleColumns samples;
  while (set.Next()) {
    LOCKSTEP_RETURN_IF_ERROR(budget.Check());
    LOCKSTEP_RETURN_IF_ERROR(visit(set, samples));
  }
  return set.status();
}

}  // namespace

absl::Status ForEachSeries(const Selection& selection, const LoadContext& context,
                           VisitSeries visit) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<SeriesSet> set,
                            context.querier.Select(selection));
  const size_t most = context.pool.concurrency() * kPartsPerThread;
  const size_t count = std::min(most, set->size() / kSeriesPerPart);
  if (count <= 1) return VisitPart(*set, context.budget, visit);
  const std::vector<std::unique_ptr<SeriesSet>> parts = set->Split(count);
  std::vector<absl::Status> ends(parts.size());
  context.pool.Run(parts.size(), [&](size_t part) {
    ends[part] = VisitPart(*parts[part], context.budget, visit);
  });
  for (const absl::Status& end : ends) LOCKSTEP_RETURN_IF_ERROR(end);
  return absl::OkStatus();
}

}  // namespace lockstep::answers

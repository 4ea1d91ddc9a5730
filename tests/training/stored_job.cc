#include "tests/training/stored_job.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "answers/load/job_loader.h"
#include "base/check.h"

namespace lockstep::training {

answers::LoadedJob LoadStored(const MemoryStorage& storage, const std::string& job) {
  const auto querier = storage.NewQuerier();
  LOCKSTEP_CHECK(querier.ok());
  TaskPool pool(0);
  QueryBudget budget(std::numeric_limits<int64_t>::max(), QueryBudget::Clock::time_point::max());
  answers::JobQuery query{.name = job, .needs = answers::JobNeeds::Everything()};
  query.needs.job_steps = false;  // would be wrong for the parts of jobs that tests use
  auto loaded = answers::LoadJob(query, {**querier, pool, budget});
  LOCKSTEP_CHECK(loaded.ok());
  return *std::move(loaded);
}

}  // namespace lockstep::training

// The stragglers of a job as it is stored: at the frontier of a running one, what may go on is still going on.
#pragma once

#include <optional>

#include "answers/loaded_job.h"
#include "base/task_pool.h"
#include "training/stragglers.h"

namespace lockstep::answers {

// By `method`, or by the strongest that the data allow. `pool` helps, if there is one; `memo` is of earlier questions
// about the same job, if there were any.
training::StragglerAnswer FindStragglers(const LoadedJob& job,
                                         std::optional<training::StragglerMethod> method,
                                         TaskPool* pool, training::StragglerMemo* memo = nullptr);

}  // namespace lockstep::answers

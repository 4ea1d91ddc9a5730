// Loads jobs from a store in memory with the server's loader.
#pragma once

#include <string>

#include "answers/load/loaded_job.h"
#include "tests/memory_storage.h"

namespace lockstep::training {

// Returns the last attempt with all data, except StepTable::job_step_seconds. Ends the test program
// if there is no such job.
answers::LoadedJob LoadStored(const MemoryStorage& storage, const std::string& job);

}  // namespace lockstep::training

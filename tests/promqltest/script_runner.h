// Runs a script against stores that the caller makes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/storage.h"
#include "tests/promqltest/script.h"

namespace lockstep::promqltest {

struct EvalOutcome {
  int line = 0;
  std::string query;
  std::string problem;  // empty: as expected
};

struct StorageUnderTest {
  // An empty store: one for the start and one for each `clear`. The one before is gone by then.
  std::function<std::unique_ptr<Storage>()> make;
  // Called after each load; may be empty.
  std::function<void(Storage&)> after_load;
};

// Runs the commands in order and reports every eval. Loads must be taken by the store in full.
std::vector<EvalOutcome> RunScript(const std::vector<Command>& commands,
                                   const StorageUnderTest& storages);

}  // namespace lockstep::promqltest

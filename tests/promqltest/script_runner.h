// Runs a script with stores that the caller creates.
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
  // Creates an empty store, at the start and for each `clear`, after the previous one was
  // destroyed.
  std::function<std::unique_ptr<Storage>()> make;
  // Called after each load; may be empty.
  std::function<void(Storage&)> after_load;
};

// Runs the commands in order and reports every eval. The store must accept every load completely.
std::vector<EvalOutcome> RunScript(const std::vector<Command>& commands,
                                   const StorageUnderTest& storages);

}  // namespace lockstep::promqltest

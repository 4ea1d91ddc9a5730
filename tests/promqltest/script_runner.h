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

// Makes an empty store: one at the start and one for each `clear`.
using StorageFactory = std::function<std::unique_ptr<Storage>()>;

// Runs the commands in order and reports every eval. Loads must be taken by the store in full.
std::vector<EvalOutcome> RunScript(const std::vector<Command>& commands,
                                   const StorageFactory& new_storage);

}  // namespace lockstep::promqltest

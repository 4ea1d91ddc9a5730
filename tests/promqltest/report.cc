// Runs scripts and prints how many evals of each passed, then each eval that failed. For work on
// the engine. Arguments: the paths of the scripts.
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/memory_storage.h"
#include "tests/promqltest/script.h"
#include "tests/promqltest/script_runner.h"

namespace {

using lockstep::promqltest::EvalOutcome;

struct Tally {
  size_t passed = 0;
  size_t total = 0;
};

void PrintRow(std::string_view name, const Tally& tally) {
  std::cout << absl::StrFormat("%5d of %5d  %s\n", tally.passed, tally.total, name);
}

// Runs one script; appends what failed to `problems`.
Tally RunFile(const std::string& path, std::string& problems) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto commands = lockstep::promqltest::ParseScript(text);
  if (!commands.ok()) {
    problems += absl::StrFormat("%s: %s\n", path, lockstep::Message(commands.status()));
    return {};
  }
  const std::string name = path.substr(path.rfind('/') + 1);
  Tally tally;
  const lockstep::promqltest::StorageUnderTest storages = {
      [] { return std::make_unique<lockstep::MemoryStorage>(); }, {}};
  for (const EvalOutcome& outcome : lockstep::promqltest::RunScript(*commands, storages)) {
    ++tally.total;
    if (outcome.problem.empty()) {
      ++tally.passed;
    } else {
      problems +=
          absl::StrFormat("%s:%d %s\n    %s\n", name, outcome.line, outcome.query, outcome.problem);
    }
  }
  return tally;
}

}  // namespace

int main(int argc, char** argv) {
  Tally all;
  std::string problems;
  for (int i = 1; i < argc; ++i) {
    const Tally tally = RunFile(argv[i], problems);
    PrintRow(argv[i], tally);
    all.passed += tally.passed;
    all.total += tally.total;
  }
  PrintRow("all", all);
  std::cout << problems;
  return all.passed == all.total ? 0 : 1;
}

// Every script of testdata/ against the engine over a store in memory.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/memory_storage.h"
#include "tests/promqltest/known_gaps.h"
#include "tests/promqltest/script.h"
#include "tests/promqltest/script_runner.h"

namespace lockstep::promqltest {
namespace {

std::string FolderPath() { return std::string(LOCKSTEP_SOURCE_DIR) + "/tests/promqltest/"; }

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> ScriptNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FolderPath() + "testdata")) {
    if (entry.path().extension() == ".test") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class PromqlScriptTest : public ::testing::TestWithParam<std::string> {};

TEST_P(PromqlScriptTest, EvalsAsExpected) {
  const auto commands = ParseScript(ReadFile(FolderPath() + "testdata/" + GetParam()));
  ASSERT_TRUE(commands.ok()) << commands.status();
  auto gaps = ParseKnownGaps(ReadFile(FolderPath() + "known_gaps.txt"));
  ASSERT_TRUE(gaps.ok()) << gaps.status();
  KnownGaps known = (*gaps)[GetParam()];

  int passed = 0;
  int missed = 0;
  for (const EvalOutcome& outcome :
       RunScript(*commands, [] { return std::make_unique<MemoryStorage>(); })) {
    const bool is_known = known.erase(outcome.line) > 0;
    ++(outcome.problem.empty() ? passed : missed);
    if (outcome.problem.empty()) {
      EXPECT_FALSE(is_known) << GetParam() << ":" << outcome.line
                             << " passes: take it off known_gaps.txt";
    } else if (!is_known) {
      ADD_FAILURE() << GetParam() << ":" << outcome.line << " " << outcome.query << "\n  "
                    << outcome.problem;
    }
  }
  for (const auto& [line, reason] : known) ADD_FAILURE() << "known gap without an eval: " << line;
  RecordProperty("passed", passed);
  RecordProperty("missed", missed);
}

INSTANTIATE_TEST_SUITE_P(Scripts, PromqlScriptTest, ::testing::ValuesIn(ScriptNames()),
                         [](const auto& info) {
                           std::string name = info.param.substr(0, info.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lockstep::promqltest

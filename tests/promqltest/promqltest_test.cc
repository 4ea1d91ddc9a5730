// Runs every script in testdata/ with a store in memory and with the real one.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "gtest/gtest.h"
#include "query/promql/parser/parser.h"
#include "query/promql/printer/printer.h"
#include "query/promql/syntax/ast_equality.h"
#include "storage/db/store.h"
#include "tests/memory_storage.h"
#include "tests/promqltest/known_gaps.h"
#include "tests/promqltest/script.h"
#include "tests/promqltest/script_runner.h"
#include "tests/support/source_dir.h"
#include "tests/support/test_folder.h"

namespace lockstep::promqltest {
namespace {

std::string FolderPath() { return SourcePath("tests/promqltest/"); }

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

std::vector<Command> MustParse(const std::string& script_name) {
  absl::StatusOr<std::vector<Command>> commands =
      ParseScript(ReadFile(FolderPath() + "testdata/" + script_name));
  EXPECT_TRUE(commands.ok()) << commands.status();
  return commands.ok() ? *std::move(commands) : std::vector<Command>();
}

struct StoreKind {
  std::string name;
  uint32_t shard_count = 0;  // 0: in memory
  bool sealed = false;       // whether samples are read from chunks or from the head
};

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

const StoreKind kKinds[] = {{"memory", 0, false},
                            {"one_shard", 1, false},
                            {"two_shards_sealed", 2, true},
                            {"seven_shards", 7, false}};

// The times in the scripts are in 1970.
constexpr int64_t kNowMs = int64_t{365} * 24 * 3600 * 1000;

// A real store in its own folder, which is removed with it.
struct RealStores {
  explicit RealStores(const StoreKind& kind) : kind(kind) {}

  std::unique_ptr<Storage> Make() {
    folder.emplace();
    StoreOptions options;
    options.data_dir = folder->path() + "/data";
    options.shard_count = kind.shard_count;
    options.retention_ms = 2 * kNowMs;
    options.now_ms = [] { return kNowMs; };
    absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(std::move(options));
    LOCKSTEP_CHECK(store.ok());
    return *std::move(store);
  }

  void AfterLoad(Storage& storage) const {
    if (kind.sealed) LOCKSTEP_CHECK(static_cast<Store&>(storage).Seal().ok());
  }

  const StoreKind kind;
  std::optional<TestFolder> folder;
};

std::vector<EvalOutcome> RunOver(const StoreKind& kind, const std::vector<Command>& commands) {
  if (kind.shard_count == 0) {
    return RunScript(commands, {[] { return std::make_unique<MemoryStorage>(); }, {}});
  }
  RealStores stores(kind);
  return RunScript(commands, {[&stores] { return stores.Make(); },
                              [&stores](Storage& storage) { stores.AfterLoad(storage); }});
}

class PromqlScriptTest : public ::testing::TestWithParam<std::tuple<std::string, StoreKind>> {};

TEST_P(PromqlScriptTest, EvalsAsExpected) {
  const auto& [script, kind] = GetParam();
  auto gaps = ParseKnownGaps(ReadFile(FolderPath() + "known_gaps.txt"));
  ASSERT_TRUE(gaps.ok()) << gaps.status();
  KnownGaps known;
  if (kind.shard_count > 0) known = (*gaps)[script];

  for (const EvalOutcome& outcome : RunOver(kind, MustParse(script))) {
    const bool is_known = known.erase(outcome.line) > 0;
    if (outcome.problem.empty()) {
      EXPECT_FALSE(is_known) << script << ":" << outcome.line
                             << " passes: take it off known_gaps.txt";
    } else if (!is_known) {
      ADD_FAILURE() << script << ":" << outcome.line << " " << outcome.query << "\n  "
                    << outcome.problem;
    }
  }
  for (const auto& [line, reason] : known) ADD_FAILURE() << "known gap without an eval: " << line;
}

INSTANTIATE_TEST_SUITE_P(Scripts, PromqlScriptTest,
                         ::testing::Combine(::testing::ValuesIn(ScriptNames()),
                                            ::testing::ValuesIn(kKinds)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param);
                           name.resize(name.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::get<1>(info.param).name;
                         });

void CheckRoundTrip(const std::string& query) {
  const absl::StatusOr<promql::ExprPtr> expr = promql::ParseExpr(query);
  ASSERT_TRUE(expr.ok()) << query << ": " << expr.status();
  for (const std::string& printed : {promql::Print(**expr), promql::PrintPretty(**expr)}) {
    const absl::StatusOr<promql::ExprPtr> again = promql::ParseExpr(printed);
    ASSERT_TRUE(again.ok()) << printed << ": " << again.status();
    EXPECT_TRUE(promql::SameTree(**expr, **again)) << printed;
  }
}

// All queries in the scripts and in the PromQL compliance suite.
TEST(QueriesTest, PrintAndParseToTheSameTree) {
  size_t count = 0;
  for (const std::string& script : ScriptNames()) {
    for (const Command& command : MustParse(script)) {
      const auto* eval = std::get_if<EvalCommand>(&command);
      if (eval == nullptr) continue;
      CheckRoundTrip(eval->query);
      ++count;
    }
  }
  EXPECT_EQ(count, 1090u);

  std::ifstream compliance(FolderPath() + "testdata/compliance_queries.txt");
  count = 0;
  for (std::string query; std::getline(compliance, query); ++count) CheckRoundTrip(query);
  EXPECT_EQ(count, 323u);
}

}  // namespace
}  // namespace lockstep::promqltest

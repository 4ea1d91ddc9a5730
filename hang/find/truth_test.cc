// Real dumps of ranks that hung in a known way: tests/training/flight_recorder/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "hang/dump/evidence.h"
#include "hang/find/find_hang.h"
#include "hang/find/hang_words.h"
#include "hang/record/record_coding.h"
#include "tests/support/source_dir.h"

namespace lockstep::hang {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;
using testing::HasSubstr;

fs::path Folder() { return SourcePath("tests/training/flight_recorder"); }

std::string Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// As they come back from the store.
RankRecord Kept(const RankRecord& record) {
  NamedRecord named;
  EXPECT_TRUE(DecodeRecord(EncodeRecord("job", record), named));
  return named.record;
}

std::vector<RankRecord> RecordsOf(const std::string& scenario) {
  std::map<int32_t, RankRecord> records;
  for (const auto& entry : fs::directory_iterator(Folder() / "dumps" / scenario)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("nccl_trace_rank_")) continue;
    auto record = ReadEvidence(Content(entry.path()), nullptr);
    EXPECT_TRUE(record.ok()) << entry.path() << ": " << record.status();
    if (!record.ok()) continue;
    record->rank = RankInName(name).value_or(-1);
    const fs::path stack =
        entry.path().parent_path() / ("stack_rank_" + std::to_string(record->rank) + ".txt");
    if (fs::exists(stack)) record->stack = ReadEvidence(Content(stack), nullptr)->stack;
    records[record->rank] = Kept(*record);
  }
  std::vector<RankRecord> all;
  for (auto& [rank, record] : records) all.push_back(std::move(record));
  return all;
}

std::vector<int32_t> NumbersAt(element truth, const char* key) {
  std::vector<int32_t> numbers;
  simdjson::dom::array list;
  if (truth[key].get(list) != simdjson::SUCCESS) return numbers;
  for (const element number : list) numbers.push_back(static_cast<int32_t>(int64_t(number)));
  return numbers;
}

std::string TextAt(element truth, const char* key) {
  std::string_view text;
  return truth[key].get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

std::vector<int32_t> MissingOf(const Wait& wait) {
  std::vector<int32_t> ranks;
  for (const AbsentRank& absent : wait.missing) ranks.push_back(absent.rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<int32_t> DifferingOf(const Wait& wait) {
  std::vector<int32_t> ranks;
  for (const EnteredOperation& other : wait.differing) ranks.push_back(other.rank);
  return ranks;
}

void CheckCause(const Wait& cause, element truth) {
  EXPECT_EQ(cause.description, TextAt(truth, "group"));
  if (const std::string kind = TextAt(truth, "kind"); !kind.empty()) {
    EXPECT_EQ(cause.kind, kind);
  }
  EXPECT_EQ(cause.sequence, int64_t(truth["sequence"]));
  EXPECT_EQ(MissingOf(cause), NumbersAt(truth, "missing"));
  EXPECT_EQ(cause.without_dump, NumbersAt(truth, "without_dump"));
  EXPECT_EQ(DifferingOf(cause), NumbersAt(truth, "differing"));
  EXPECT_EQ(cause.mismatch.has_value() ? Name(*cause.mismatch) : "", TextAt(truth, "mismatch"));
  if (const auto waiting = NumbersAt(truth, "waiting"); !waiting.empty()) {
    EXPECT_EQ(cause.waiting, waiting);
  }
  if (const std::string function = TextAt(truth, "function"); !function.empty()) {
    for (const AbsentRank& absent : cause.missing) {
      EXPECT_TRUE(absent.where_is_stack);
      EXPECT_THAT(absent.where, testing::StartsWith(function + " ("));
    }
  }
}

class TruthTest : public testing::TestWithParam<std::string> {
 protected:
  TruthTest() { truth_ = parser_.load((Folder() / "truth.json").string()).value(); }

  simdjson::dom::parser parser_;
  element truth_;
};

std::vector<std::string> Scenarios() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Folder() / "dumps")) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

TEST_P(TruthTest, IsFound) {
  const element truth = truth_[GetParam()].value();
  const HangAnswer answer = *FindHang(RecordsOf(GetParam()), {}, nullptr);
  EXPECT_EQ(Name(answer.verdict), TextAt(truth, "verdict")) << answer.sentence;
  std::string_view group;
  if (truth["group"].get(group) != simdjson::SUCCESS) return;
  ASSERT_TRUE(answer.cause.has_value()) << answer.sentence;
  CheckCause(*answer.cause, truth);
  if (HasFailure()) ADD_FAILURE() << TextOf(GetParam(), answer);
}

// PyTorch's analyser names ranks and sequences in sentences.
TEST_P(TruthTest, AgreesWithPyTorchsAnalyser) {
  const std::string other = Content(Folder() / "dumps" / GetParam() / "fr_trace.txt");
  if (other.empty()) return;
  const HangAnswer answer = *FindHang(RecordsOf(GetParam()), {}, nullptr);
  // It takes a scatter, whose root alone has an output, for a mismatch.
  if (answer.verdict == HangVerdict::kNone) {
    EXPECT_THAT(other, HasSubstr("collective: nccl:scatter"));
    return;
  }
  const Wait& cause = *answer.cause;
  EXPECT_THAT(other, HasSubstr("equence number: " + std::to_string(cause.sequence)));
  EXPECT_THAT(other, HasSubstr("group info: " + cause.group + ":" + cause.description));
  for (const AbsentRank& absent : cause.missing) {
    EXPECT_THAT(other, HasSubstr("missing ranks: {" + std::to_string(absent.rank) + "}"));
  }
  for (const EnteredOperation& differing : cause.differing) {
    EXPECT_THAT(other, HasSubstr("Culprit rank " + std::to_string(differing.rank) + ";"));
  }
}

INSTANTIATE_TEST_SUITE_P(Real, TruthTest, testing::ValuesIn(Scenarios()),
                         [](const auto& scenario) { return scenario.param; });

}  // namespace
}  // namespace lockstep::hang

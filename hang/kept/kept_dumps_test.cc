#include "hang/kept/kept_dumps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/kept_rows_testing.h"

namespace lockstep::hang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kNowMs = 1'700'000'000'000;

RankRecord Dump(int32_t rank, int64_t time_ms) {
  RankRecord record;
  record.rank = rank;
  record.version = "2.10";
  record.dump_ms = time_ms;
  record.newest_ms = time_ms;
  return record;
}

RankRecord Stack(int32_t rank, int64_t time_ms) {
  RankRecord record;
  record.rank = rank;
  record.stack = {"load (a.py:1)"};
  record.stack_ms = time_ms;
  return record;
}

std::vector<RankRecord> ReadAll(const KeptDumps& dumps, std::string_view job,
                                int64_t now_ms = kNowMs) {
  MemoryCharge memory;
  return dumps.Read(job, now_ms, memory).value();
}

std::vector<int32_t> RanksOf(const KeptDumps& dumps, std::string_view job) {
  std::vector<int32_t> ranks;
  for (const RankRecord& record : ReadAll(dumps, job)) ranks.push_back(record.rank);
  return ranks;
}

TEST(KeptDumpsTest, SurviveARestart) {
  RowsInMemory rows;
  {
    KeptDumps dumps(&rows);
    ASSERT_TRUE(dumps.Put("a", Dump(1, kNowMs), kNowMs).ok());
    ASSERT_TRUE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
    ASSERT_TRUE(dumps.Put("b", Dump(7, kNowMs), kNowMs).ok());
  }
  KeptDumps again(&rows);
  EXPECT_THAT(RanksOf(again, "a"), ElementsAre(0, 1));
  EXPECT_THAT(RanksOf(again, "b"), ElementsAre(7));
  EXPECT_THAT(RanksOf(again, "c"), IsEmpty());
  // Free rows are found again.
  ASSERT_TRUE(again.Put("c", Dump(3, kNowMs), kNowMs).ok());
  EXPECT_THAT(RanksOf(KeptDumps(&rows), "a"), ElementsAre(0, 1));
  EXPECT_THAT(RanksOf(KeptDumps(&rows), "c"), ElementsAre(3));
}

TEST(KeptDumpsTest, AnOlderDumpDoesNotReplaceANewerOne) {
  KeptDumps dumps(nullptr);
  ASSERT_TRUE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
  EXPECT_TRUE(dumps.Put("a", Dump(0, kNowMs - 1), kNowMs)->is_older);
  EXPECT_EQ(ReadAll(dumps, "a")[0].dump_ms, kNowMs);
  // The same one again changes nothing.
  EXPECT_FALSE(dumps.Put("a", Dump(0, kNowMs), kNowMs)->is_older);
  EXPECT_THAT(ReadAll(dumps, "a"), SizeIs(1));
}

TEST(KeptDumpsTest, AStackAndADumpCompleteEachOther) {
  KeptDumps dumps(nullptr);
  ASSERT_TRUE(dumps.Put("a", Stack(0, kNowMs), kNowMs).ok());
  ASSERT_TRUE(dumps.Put("a", Dump(0, kNowMs + 5), kNowMs + 5).ok());
  ASSERT_TRUE(dumps.Put("a", Stack(0, kNowMs + 9), kNowMs + 9).ok());
  const std::vector<RankRecord> records = ReadAll(dumps, "a");
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].dump_ms, kNowMs + 5);
  EXPECT_EQ(records[0].stack_ms, kNowMs + 9);
  EXPECT_TRUE(records[0].has_dump());
}

TEST(KeptDumpsTest, TheOldestMakeRoom) {
  RowsInMemory rows;
  KeptDumps dumps(&rows, {.max_records = 4, .max_records_of_job = 3, .max_bytes = 1 << 20});
  for (int32_t rank = 0; rank < 5; ++rank) {
    ASSERT_TRUE(dumps.Put("a", Dump(rank, kNowMs), kNowMs + rank).ok());
  }
  EXPECT_THAT(RanksOf(dumps, "a"), ElementsAre(2, 3, 4));
  ASSERT_TRUE(dumps.Put("b", Dump(0, kNowMs), kNowMs + 9).ok());
  ASSERT_TRUE(dumps.Put("b", Dump(1, kNowMs), kNowMs + 9).ok());
  EXPECT_THAT(RanksOf(dumps, "a"), ElementsAre(3, 4));
  EXPECT_THAT(RanksOf(KeptDumps(&rows), "b"), ElementsAre(0, 1));
}

TEST(KeptDumpsTest, BytesAreLimited) {
  KeptDumps dumps(nullptr, {.max_records = 100, .max_records_of_job = 100, .max_bytes = 200});
  for (int32_t rank = 0; rank < 50; ++rank) {
    ASSERT_TRUE(dumps.Put("a", Dump(rank, kNowMs), kNowMs + rank).ok());
  }
  const std::vector<int32_t> ranks = RanksOf(dumps, "a");
  EXPECT_LT(ranks.size(), 10u);
  EXPECT_EQ(ranks.back(), 49);
}

TEST(KeptDumpsTest, OldDumpsAreGone) {
  KeptDumps dumps(nullptr);
  ASSERT_TRUE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
  EXPECT_THAT(ReadAll(dumps, "a", kNowMs + KeptDumps::kMaxAgeMs), SizeIs(1));
  EXPECT_THAT(ReadAll(dumps, "a", kNowMs + KeptDumps::kMaxAgeMs + 1), IsEmpty());
}

TEST(KeptDumpsTest, AllTenantsTogetherAreLimited) {
  RowsInMemory rows;
  ASSERT_TRUE(KeptDumps(&rows).Put("a", Dump(0, kNowMs), kNowMs).ok());
  const size_t size = rows.ReadKept(KeptKind::kDumps)->front().bytes.size();
  DumpTotal total(&rows, 2 * size);
  KeptDumps first(&rows, {}, &total);
  RowsInMemory others;
  KeptDumps second(&others, {}, &total);
  // Its own older dumps make room.
  ASSERT_TRUE(second.Put("b", Dump(0, kNowMs), kNowMs).ok());
  ASSERT_TRUE(second.Put("b", Dump(1, kNowMs), kNowMs).ok());
  EXPECT_THAT(RanksOf(second, "b"), ElementsAre(1));
  // What replaces its like needs no room.
  EXPECT_TRUE(first.Put("a", Dump(0, kNowMs + 1), kNowMs).ok());
  // A tenant without any has nothing to drop.
  RowsInMemory none;
  KeptDumps third(&none, {}, &total);
  const absl::Status refused = third.Put("c", Dump(0, kNowMs), kNowMs).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
}

TEST(KeptDumpsTest, WhatCannotBeWrittenTakesNoRoom) {
  RowsInMemory rows;
  DumpTotal total(nullptr, 100);
  KeptDumps dumps(&rows, {}, &total);
  rows.refuses = true;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
  rows.refuses = false;
  EXPECT_TRUE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
}

// A full job does not lose a dump because a rank sends its stack too.
TEST(KeptDumpsTest, WhatIsReplacedNeedsNoRoom) {
  KeptDumps dumps(nullptr, {.max_records = 3, .max_records_of_job = 3, .max_bytes = 1 << 20});
  for (int32_t rank = 0; rank < 3; ++rank) {
    ASSERT_TRUE(dumps.Put("a", Dump(rank, kNowMs), kNowMs + rank).ok());
  }
  ASSERT_TRUE(dumps.Put("a", Stack(2, kNowMs), kNowMs + 3).ok());
  EXPECT_THAT(RanksOf(dumps, "a"), ElementsAre(0, 1, 2));
  EXPECT_TRUE(ReadAll(dumps, "a")[2].has_dump());
}

TEST(KeptDumpsTest, AClockThatWasAheadKeepsNothingOut) {
  KeptDumps dumps(nullptr);
  RankRecord ahead = Dump(0, kNowMs);
  ahead.newest_ms = kNowMs + 86'400'000;
  ASSERT_TRUE(dumps.Put("a", ahead, kNowMs).ok());
  EXPECT_FALSE(dumps.Put("a", Dump(0, kNowMs + 60'000), kNowMs + 60'000)->is_older);
  EXPECT_EQ(ReadAll(dumps, "a")[0].newest_ms, kNowMs + 60'000);
  // It is newer than what was there before, too.
  EXPECT_FALSE(dumps.Put("a", ahead, kNowMs + 90'000)->is_older);
}

TEST(KeptDumpsTest, WhatIsTooOldIsNeitherComparedNorCompleted) {
  KeptDumps dumps(nullptr);
  ASSERT_TRUE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
  ASSERT_TRUE(dumps.Put("a", Stack(0, kNowMs), kNowMs).ok());
  const int64_t later_ms = kNowMs + KeptDumps::kMaxAgeMs + 1;
  EXPECT_FALSE(dumps.Put("a", Dump(0, kNowMs - 1), later_ms)->is_older);
  const std::vector<RankRecord> records = ReadAll(dumps, "a", later_ms);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_THAT(records[0].stack, IsEmpty());
}

// Short texts take much more memory than bytes of the row.
TEST(KeptDumpsTest, ReadingChargesWhatIsInMemory) {
  constexpr size_t kTexts = 10'000;
  RankRecord record = Dump(0, kNowMs);
  record.groups.resize(kMaxGroups);
  record.operations.resize(kMaxOperations);
  for (size_t i = 1; i <= kTexts; ++i) record.texts.push_back(std::to_string(i));
  for (size_t i = 0; i < record.operations.size(); ++i) {
    record.operations[i].kind = static_cast<TextNumber>(4 * i + 1);
    record.operations[i].sizes = static_cast<TextNumber>(4 * i + 2);
    record.operations[i].dtypes = static_cast<TextNumber>(4 * i + 3);
    record.operations[i].frames = static_cast<TextNumber>(4 * i + 4);
  }
  KeptDumps dumps(nullptr);
  ASSERT_TRUE(dumps.Put("a", record, kNowMs).ok());
  MemoryCharge memory(MemoryAccount::kQueries);
  const auto read = dumps.Read("a", kNowMs, memory);
  ASSERT_TRUE(read.ok());
  EXPECT_GE(memory.bytes(), read->front().texts.size() * sizeof(std::string) +
                                read->front().groups.size() * sizeof(GroupRecord) +
                                read->front().operations.size() * sizeof(Operation));
}

TEST(KeptDumpsTest, AWriteThatFailsKeepsNothing) {
  RowsInMemory rows;
  KeptDumps dumps(&rows);
  rows.refuses = true;
  EXPECT_FALSE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
  rows.refuses = false;
  EXPECT_THAT(RanksOf(dumps, "a"), IsEmpty());
  EXPECT_TRUE(dumps.Put("a", Dump(0, kNowMs), kNowMs).ok());
}

}  // namespace
}  // namespace lockstep::hang

#include "storage/db/rewrite/window_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/db/state/shard_testing.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr int32_t kLedgerWindow = 7;
constexpr uint64_t kLedgerMark = 10;

class WindowLedgerTest : public ::testing::Test {
 protected:
  WindowLedgerTest() {
    WriterLock lock(shard_.state().mutex);
    shard_.state().sealed_sequence = kLedgerMark;
  }
  void Put(kv::Tier tier, uint64_t generation, uint64_t sample_count, uint64_t byte_count,
           std::vector<SeriesId> series = {}) {
    PutPart(tier, generation, 0, sample_count, byte_count, std::move(series));
  }
  void PutPart(kv::Tier tier, uint64_t generation, uint16_t part, uint64_t sample_count,
               uint64_t byte_count, std::vector<SeriesId> series) {
    const auto time_ms = static_cast<int64_t>(generation) * 100;
    shard_.PutWindowRow({kLedgerWindow, tier, generation, part},
                        {{{time_ms, time_ms + 50}, sample_count, byte_count}, std::move(series)});
  }
  WindowLedger Read() {
    auto ledger = WindowLedger::Read(shard_.state(), kLedgerWindow);
    EXPECT_TRUE(ledger.ok()) << ledger.status();
    return *std::move(ledger);
  }
  void Write(const WindowLedger& ledger) {
    BatchWriter batch(*shard_.state().kv, [] { return false; });
    ASSERT_TRUE(ledger.PutChanged(batch).ok());
    ASSERT_TRUE(batch.Commit().ok());
  }
  // "samples/bytes" of each row.
  std::map<std::string, std::string> Counts() {
    std::map<std::string, std::string> counts;
    for (const auto& [name, row] : shard_.WindowRows()) {
      counts[name] =
          std::to_string(row.totals.sample_count) + "/" + std::to_string(row.totals.byte_count);
    }
    return counts;
  }
  std::map<std::string, std::string> AfterSubtract(kv::Tier tier, uint64_t generation,
                                                   uint64_t sample_count, uint64_t bytes_before,
                                                   uint64_t bytes_after) {
    WindowLedger ledger = Read();
    ledger.Subtract(tier, generation, sample_count, bytes_before, bytes_after);
    Write(ledger);
    return Counts();
  }

  LooseShard shard_;
};

TEST_F(WindowLedgerTest, FindsSeriesInAnyRunUpToTheMark) {
  Put(kv::Tier::kCold, 3, 1, 1, {1, 2, 9});
  Put(kv::Tier::kHot, 10, 1, 1, {2, 4});
  Put(kv::Tier::kHot, 11, 1, 1, {5});  // of an unfinished seal
  shard_.PutWindowRow({kLedgerWindow + 1, kv::Tier::kHot, 10, 0}, {{{0, 1}, 1, 1}, {6}});
  const std::vector<SeriesId> all = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(Read().Among(all), ElementsAre(1, 2, 4));
  EXPECT_THAT(Read().Among(std::vector<SeriesId>{3}), IsEmpty());
}

TEST_F(WindowLedgerTest, SaysWhichKeyIsMalformed) {
  shard_.Put(kv::Space::kMeta, kv::EncodeWindowKey({kLedgerWindow, kv::Tier::kHot, 1, 0}) + "x",
             "");
  EXPECT_EQ(WindowLedger::Read(shard_.state(), kLedgerWindow).status(),
            absl::DataLossError("a window row's key is malformed"));
}

TEST_F(WindowLedgerTest, RemovedSeriesLeaveTheRowsThatHadThem) {
  Put(kv::Tier::kCold, 3, 1, 1, {1, 2, 9});
  Put(kv::Tier::kHot, 4, 2, 2, {4});
  Put(kv::Tier::kHot, 5, 3, 3, {2, 4});
  WindowLedger ledger = Read();
  ledger.RemoveSeries({});
  ledger.RemoveSeries(std::vector<SeriesId>{2, 3, 9});
  EXPECT_THAT(ledger.Among(std::vector<SeriesId>{1, 2, 4, 9}), ElementsAre(1, 4));
  Write(ledger);
  auto rows = shard_.WindowRows();
  EXPECT_THAT(rows["cold 3.0"].series, ElementsAre(1));
  EXPECT_THAT(rows["hot 4.0"].series, ElementsAre(4));
  EXPECT_THAT(rows["hot 5.0"].series, ElementsAre(4));
  EXPECT_EQ(rows["hot 5.0"].totals.sample_count, 3u);
}

TEST_F(WindowLedgerTest, OnlyRowsThatChangedAreWritten) {
  Put(kv::Tier::kHot, 4, 2, 2, {4});
  Put(kv::Tier::kHot, 5, 3, 3, {5});
  WindowLedger ledger = Read();
  ledger.RemoveSeries(std::vector<SeriesId>{5});
  // What is not written stays as another one left it.
  Put(kv::Tier::kHot, 4, 20, 20, {4});
  Put(kv::Tier::kHot, 5, 30, 30, {5});
  Write(ledger);
  EXPECT_THAT(Counts(), ElementsAre(Pair("hot 4.0", "20/20"), Pair("hot 5.0", "3/3")));
}

TEST_F(WindowLedgerTest, SubtractsFromTheRunOfTheGeneration) {
  Put(kv::Tier::kCold, 3, 100, 1000);
  Put(kv::Tier::kHot, 4, 200, 2000);
  Put(kv::Tier::kHot, 6, 300, 3000);
  EXPECT_THAT(AfterSubtract(kv::Tier::kHot, 4, 10, 500, 100),
              ElementsAre(Pair("cold 3.0", "100/1000"), Pair("hot 4.0", "190/1600"),
                          Pair("hot 6.0", "300/3000")));
  // A row of generation 5 belongs to the run up to 6.
  EXPECT_THAT(AfterSubtract(kv::Tier::kHot, 5, 1, 10, 10),
              ElementsAre(Pair("cold 3.0", "100/1000"), Pair("hot 4.0", "190/1600"),
                          Pair("hot 6.0", "299/3000")));
  EXPECT_THAT(AfterSubtract(kv::Tier::kCold, 1, 2, 20, 10),
              ElementsAre(Pair("cold 3.0", "98/990"), Pair("hot 4.0", "190/1600"),
                          Pair("hot 6.0", "299/3000")));
}

TEST_F(WindowLedgerTest, WhatTheRunDoesNotCountGoesFromTheOthers) {
  Put(kv::Tier::kCold, 3, 10, 100);
  Put(kv::Tier::kHot, 4, 20, 200);
  Put(kv::Tier::kHot, 6, 30, 300);
  // First from later runs, then from earlier ones.
  EXPECT_THAT(
      AfterSubtract(kv::Tier::kHot, 4, 25, 0, 0),
      ElementsAre(Pair("cold 3.0", "10/100"), Pair("hot 4.0", "0/200"), Pair("hot 6.0", "25/300")));
  EXPECT_THAT(
      AfterSubtract(kv::Tier::kHot, 6, 0, 305, 0),
      ElementsAre(Pair("cold 3.0", "10/95"), Pair("hot 4.0", "0/200"), Pair("hot 6.0", "25/0")));
  EXPECT_THAT(AfterSubtract(kv::Tier::kCold, 3, 1000, 1000, 0),
              ElementsAre(Pair("cold 3.0", "0/0"), Pair("hot 4.0", "0/0"), Pair("hot 6.0", "0/0")));
}

TEST_F(WindowLedgerTest, ARowThatBecameLargerAddsToItsRun) {
  Put(kv::Tier::kHot, 4, 20, 200);
  Put(kv::Tier::kHot, 6, 30, 300);
  EXPECT_THAT(AfterSubtract(kv::Tier::kHot, 6, 1, 10, 17),
              ElementsAre(Pair("hot 4.0", "20/200"), Pair("hot 6.0", "29/307")));
  EXPECT_THAT(AfterSubtract(kv::Tier::kHot, 4, 0, 10, 11),
              ElementsAre(Pair("hot 4.0", "20/201"), Pair("hot 6.0", "29/307")));
}

TEST_F(WindowLedgerTest, NothingIsSubtractedForAnUnfinishedSeal) {
  Put(kv::Tier::kHot, 10, 20, 200);
  EXPECT_THAT(AfterSubtract(kv::Tier::kHot, 11, 1, 10, 0), ElementsAre(Pair("hot 10.0", "20/200")));
  EXPECT_THAT(AfterSubtract(kv::Tier::kHot, 10, 1, 10, 0), ElementsAre(Pair("hot 10.0", "19/190")));
}

TEST_F(WindowLedgerTest, DeletesAllRowsOfItsWindow) {
  Put(kv::Tier::kCold, 3, 1, 1);
  Put(kv::Tier::kHot, 4, 1, 1);
  shard_.PutWindowRow({kLedgerWindow + 1, kv::Tier::kHot, 5, 0}, {{{0, 1}, 1, 1}, {}});
  WindowLedger ledger = Read();
  BatchWriter batch(*shard_.state().kv, [] { return false; });
  ASSERT_TRUE(ledger.DeleteAll(batch).ok());
  ASSERT_TRUE(batch.Commit().ok());
  EXPECT_THAT(Counts(), ElementsAre(Pair("hot 5.0", "1/1")));
  Windows windows;
  windows[kLedgerWindow];
  windows[kLedgerWindow + 1];
  ledger.Publish(windows);
  EXPECT_FALSE(windows.contains(kLedgerWindow));
  EXPECT_TRUE(windows.contains(kLedgerWindow + 1));
}

TEST_F(WindowLedgerTest, JoinsRunsIntoOne) {
  Put(kv::Tier::kHot, 2, 1, 100, {1});
  Put(kv::Tier::kHot, 3, 10, 1000, {1, 5});
  PutPart(kv::Tier::kHot, 4, 0, 0, 0, {2});
  PutPart(kv::Tier::kHot, 4, 1, 100, 2000, {3});
  Put(kv::Tier::kHot, 6, 1000, 4000, {6});
  WindowLedger ledger = Read();
  const auto is_joined = [](const kv::WindowKey& key) {
    return key.generation > 2 && key.generation <= 4;
  };
  BatchWriter batch(*shard_.state().kv, [] { return false; });
  ASSERT_TRUE(ledger.Join(is_joined, {kLedgerWindow, kv::Tier::kHot, 4, 0}, 2500, 700, batch).ok());
  // The new row comes after those that it replaces.
  EXPECT_THAT(Counts(), ElementsAre(Pair("hot 2.0", "1/100"), Pair("hot 4.2", "110/1200"),
                                    Pair("hot 6.0", "1000/4000")));
  const WindowRow row = shard_.WindowRows()["hot 4.2"];
  EXPECT_THAT(row.series, ElementsAre(1, 2, 3, 5));
  EXPECT_EQ(row.totals.range.min_ms, 300);
  EXPECT_EQ(row.totals.range.max_ms, 450);

  Windows windows;
  windows[kLedgerWindow].changed_ms = 77;
  windows[kLedgerWindow].Add(kv::Tier::kHot, 9, {{0, 1}, 5, 5});
  ledger.Publish(windows);
  const StoredWindow& window = windows[kLedgerWindow];
  EXPECT_FALSE(window.cold.has_value());
  ASSERT_EQ(window.hot.size(), 3u);
  EXPECT_EQ(window.hot[0].generation, 2u);
  EXPECT_EQ(window.hot[1].generation, 4u);
  EXPECT_EQ(window.hot[1].totals.sample_count, 110u);
  EXPECT_EQ(window.hot[2].generation, 6u);
  EXPECT_EQ(window.changed_ms, 77);
  windows.clear();
  ledger.Publish(windows);
  EXPECT_THAT(windows, IsEmpty());
}

TEST_F(WindowLedgerTest, AJoinedColdRunComesBeforeWhatIsLeftHot) {
  Put(kv::Tier::kCold, 2, 1, 100, {1});
  Put(kv::Tier::kHot, 3, 10, 1000, {2});
  Put(kv::Tier::kHot, 5, 100, 2000, {3});
  WindowLedger ledger = Read();
  BatchWriter batch(*shard_.state().kv, [] { return false; });
  // More bytes than were counted: the rows had not been counted in full.
  ASSERT_TRUE(ledger
                  .Join([](const kv::WindowKey& key) { return key.generation <= 3; },
                        {kLedgerWindow, kv::Tier::kCold, 3, 0}, 5000, 40, batch)
                  .ok());
  EXPECT_THAT(Counts(), ElementsAre(Pair("cold 3.0", "11/40"), Pair("hot 5.0", "100/2000")));
  Windows windows;
  windows[kLedgerWindow];
  ledger.Publish(windows);
  ASSERT_TRUE(windows[kLedgerWindow].cold.has_value());
  EXPECT_EQ(windows[kLedgerWindow].cold->generation, 3u);
  EXPECT_EQ(windows[kLedgerWindow].hot.size(), 1u);
}

}  // namespace
}  // namespace lockstep

#include "ingest/side_data/exemplar_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const LabelSet kUp = LabelSet::Of({{"__name__", "up"}, {"job", "x"}});
const LabelSet kDown = LabelSet::Of({{"__name__", "down"}, {"job", "x"}});

Exemplar At(int64_t timestamp_ms, double value = 1) {
  return {LabelSet::Of({{"trace_id", "t"}}), value, timestamp_ms};
}

// "name: times" for each series.
std::vector<std::string> Found(const ExemplarStore& store,
                               const ExemplarStore::Selections& selections,
                               TimeRange range = kAllTimes) {
  std::vector<std::string> rows;
  for (const SeriesExemplars& found : store.Select(selections, range)) {
    std::string row = absl::StrFormat("%s:", found.series.metric_name());
    for (const Exemplar& exemplar : found.exemplars) {
      absl::StrAppendFormat(&row, " %d", exemplar.timestamp_ms);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const ExemplarStore::Selections kOfJob = {{Matcher::Equal("job", "x")}};

TEST(ExemplarStore, GivesThoseOfTheSelectedSeriesAndTimes) {
  ExemplarStore store;
  for (const int64_t time_ms : {10, 20, 30})
    EXPECT_EQ(store.Add(kUp, At(time_ms)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.Add(kDown, At(15)), ExemplarStore::Added::kYes);
  EXPECT_THAT(Found(store, kOfJob), ElementsAre("down: 15", "up: 10 20 30"));
  EXPECT_THAT(Found(store, kOfJob, {15, 20}), ElementsAre("down: 15", "up: 20"));
  EXPECT_THAT(Found(store, kOfJob, {16, 20}), ElementsAre("up: 20"));
  const ExemplarStore::Selections both = {{Matcher::Equal("__name__", "up")},
                                          {Matcher::Equal("__name__", "none")}};
  EXPECT_THAT(Found(store, both), ElementsAre("up: 10 20 30"));
  EXPECT_THAT(Found(store, {{Matcher::Equal("job", "y")}}), IsEmpty());
}

TEST(ExemplarStore, WhatIsSentAgainIsThereOnce) {
  ExemplarStore store;
  EXPECT_EQ(store.Add(kUp, At(10)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.Add(kUp, At(10)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.exemplar_count(), 1u);
  EXPECT_EQ(store.Add(kUp, At(10, 2)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.exemplar_count(), 2u);
  EXPECT_EQ(store.Add(kUp, At(20)), ExemplarStore::Added::kYes);
  for (const double value : {1, 2}) {
    EXPECT_EQ(store.Add(kUp, At(10, value)), ExemplarStore::Added::kYes);
  }
  EXPECT_EQ(store.exemplar_count(), 3u);
  EXPECT_EQ(store.Add(kUp, At(9)), ExemplarStore::Added::kOutOfOrder);
  EXPECT_EQ(store.exemplar_count(), 3u);
}

TEST(ExemplarStore, CountsCharactersNotBytes) {
  ExemplarStore store;
  const auto with_value = [](const std::string& value) {
    return Exemplar{LabelSet::Of({{"id", value}}), 1, 1};
  };
  std::string umlauts;
  for (int i = 0; i < 126; ++i) umlauts += "ü";
  EXPECT_EQ(store.Add(kUp, with_value(umlauts)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.Add(kDown, with_value(umlauts + "u")), ExemplarStore::Added::kTooLong);
}

TEST(ExemplarStore, TakesNothingThatIsNotUtf8) {
  ExemplarStore store;
  for (const LabelView& label : {LabelView{"id", "\xff"}, LabelView{"\xff", "id"}}) {
    EXPECT_EQ(store.Add(kUp, {LabelSet::Of({label}), 1, 1}), ExemplarStore::Added::kInvalidUtf8);
  }
  EXPECT_EQ(store.exemplar_count(), 0u);
}

TEST(ExemplarStore, TheOldestArrivalsGoFirst) {
  ExemplarStore store(3);
  EXPECT_EQ(store.Add(kUp, At(10)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.Add(kDown, At(5)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.Add(kUp, At(20)), ExemplarStore::Added::kYes);
  EXPECT_EQ(store.Add(kUp, At(30)), ExemplarStore::Added::kYes);
  EXPECT_THAT(Found(store, kOfJob), ElementsAre("down: 5", "up: 20 30"));
  EXPECT_EQ(store.Add(kUp, At(40)), ExemplarStore::Added::kYes);
  EXPECT_THAT(Found(store, kOfJob), ElementsAre("up: 20 30 40"));
  EXPECT_EQ(store.exemplar_count(), 3u);
}

TEST(ExemplarStore, TheOldestMakeRoomForBytes) {
  ExemplarStore one_fits(100, 1500);
  EXPECT_EQ(one_fits.Add(kUp, At(10)), ExemplarStore::Added::kYes);
  EXPECT_EQ(one_fits.Add(kDown, At(5)), ExemplarStore::Added::kYes);
  EXPECT_THAT(Found(one_fits, kOfJob), ElementsAre("down: 5"));
  EXPECT_LE(one_fits.byte_count(), 1500u);
  const LabelSet large = LabelSet::Of({{"__name__", "up"}, {"job", std::string(1500, 'x')}});
  EXPECT_EQ(one_fits.Add(large, At(10)), ExemplarStore::Added::kNoMemory);
  EXPECT_EQ(one_fits.byte_count(), 0u);
}

TEST(ExemplarStore, HoldsNoMoreThanTheMemoryBudgetGives) {
  MemoryBudget memory(uint64_t{1} << 20);
  ExemplarStore store(ExemplarStore::kMaxExemplars, ExemplarStore::kMaxBytes, memory);
  for (int i = 0; i < 1000; ++i) {
    const std::string job = absl::StrFormat("%d", i);
    EXPECT_EQ(store.Add(LabelSet::Of({{"job", job}}), At(i)), ExemplarStore::Added::kYes);
  }
  EXPECT_LE(store.byte_count(), memory.MaxBytesOf(MemoryAccount::kExemplars));
  EXPECT_GT(store.exemplar_count(), 40u);
  EXPECT_EQ(Found(store, {{Matcher::Equal("job", "999")}}).size(), 1u);
}

TEST(ExemplarStore, ItsBytesAreThoseOfWhatItHolds) {
  ExemplarStore store(3);
  EXPECT_EQ(store.byte_count(), 0u);
  EXPECT_EQ(store.Add(kUp, At(1)), ExemplarStore::Added::kYes);
  const uint64_t first_bytes = store.byte_count();
  EXPECT_EQ(store.Add(kUp, At(2)), ExemplarStore::Added::kYes);
  const uint64_t more_bytes = store.byte_count() - first_bytes;
  EXPECT_GT(more_bytes, At(2).labels.bytes().size());
  // The second one needs no series.
  EXPECT_GT(first_bytes, more_bytes + kUp.bytes().size());
  // As if what made way had never been.
  for (int i = 3; i < 100; ++i) {
    EXPECT_EQ(store.Add(i % 2 == 0 ? kUp : kDown, At(i)), ExemplarStore::Added::kYes);
  }
  ExemplarStore fresh(3);
  for (int i = 97; i < 100; ++i) fresh.Add(i % 2 == 0 ? kUp : kDown, At(i));
  EXPECT_EQ(store.byte_count(), fresh.byte_count());
  EXPECT_EQ(store.change_count(), 99u);
  EXPECT_EQ(fresh.change_count(), 3u);
}

TEST(ExemplarStore, WhatIsNotAddedChangesNothing) {
  ExemplarStore store;
  store.Add(kUp, At(10));
  store.Add(kUp, At(10));
  store.Add(kUp, At(9));
  store.Add(kUp, {LabelSet::Of({{"id", std::string(127, 'x')}}), 1, 11});
  EXPECT_EQ(store.change_count(), 1u);
  store.Add(kUp, {LabelSet::Of({{"id", std::string(126, 'x')}}), 1, 11});
  EXPECT_EQ(store.change_count(), 2u);
}

}  // namespace
}  // namespace lockstep

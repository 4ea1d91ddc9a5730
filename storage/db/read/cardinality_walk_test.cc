#include "storage/db/read/cardinality_walk.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "model/tenant.h"
#include "storage/db/state/shard_testing.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

// Job i has i + 1 ranks; each rank has two metrics, those of job 3 have a third.
std::vector<LabelSet> Fleet() {
  std::vector<LabelSet> fleet;
  for (int job = 0; job < 12; ++job) {
    for (int rank = 0; rank <= job; ++rank) {
      fleet.push_back(Series("temp", absl::StrFormat("job%d", job), rank));
      fleet.push_back(Series("power", absl::StrFormat("job%d", job), rank));
      if (job == 3) fleet.push_back(Series("lonely", "job3", rank));
    }
  }
  return fleet;
}

void Write(Store& store, const std::vector<LabelSet>& fleet, int64_t time_ms) {
  WriteRequest request;
  for (const LabelSet& labels : fleet) request.series.push_back({labels, {{time_ms, 1}}, {}});
  ASSERT_TRUE(WriteAndWait(store, std::move(request)).ok());
}

std::vector<NamedCount> Largest(const std::map<std::string, uint64_t>& counts, size_t limit) {
  std::vector<NamedCount> rows;
  for (const auto& [name, count] : counts) rows.push_back({name, count});
  KeepLargest(rows, limit);
  return rows;
}

// The reference looks at every series.
void ExpectCounts(const CardinalityStats& stats, const std::vector<LabelSet>& fleet, size_t limit) {
  std::map<std::string, uint64_t> jobs, names, bytes, pairs, value_counts;
  std::map<std::string, std::set<std::string>> values;
  for (const LabelSet& labels : fleet) {
    ++jobs[std::string(labels.Get("job"))];
    ++names[std::string(labels.metric_name())];
    for (const LabelView label : labels) {
      const std::string name(label.name), value(label.value);
      bytes[name] += value.size();
      ++pairs[name + "=" + value];
      values[name].insert(value);
    }
  }
  for (const auto& [name, distinct] : values) value_counts[name] = distinct.size();
  EXPECT_EQ(stats.series_count, fleet.size());
  EXPECT_EQ(stats.series_by_job, Largest(jobs, limit));
  EXPECT_EQ(stats.series_by_metric_name, Largest(names, limit));
  EXPECT_EQ(stats.values_by_label_name, Largest(value_counts, limit));
  EXPECT_EQ(stats.bytes_by_label_name, Largest(bytes, limit));
  EXPECT_EQ(stats.series_by_label_pair, Largest(pairs, limit));
}

class CardinalityTest : public testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override { options_.shard_count = GetParam(); }

  static Matcher Eq(const std::string& name, const std::string& value) {
    return *Matcher::Make(MatchType::kEqual, name, value);
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  HandClock clock_{options_};
};

TEST_P(CardinalityTest, IsExactWhateverTheLimit) {
  auto store = MustOpen(options_);
  const std::vector<LabelSet> fleet = Fleet();
  Write(*store, fleet, kTestNowMs);
  for (const size_t limit : {1, 2, 5, 1000}) {
    const auto stats = store->Cardinality({.limit = limit});
    ASSERT_TRUE(stats.ok()) << stats.status();
    ExpectCounts(*stats, fleet, limit);
  }
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(options_);
  ExpectCounts(*store->Cardinality({.limit = 7}), fleet, 7);
}

TEST_P(CardinalityTest, ExplainsOneJob) {
  const auto store = MustOpen(options_);
  Write(*store, Fleet(), kTestNowMs);
  std::vector<LabelSet> job;
  for (const LabelSet& labels : Fleet()) {
    if (labels.Get("job") == "job3") job.push_back(labels);
  }
  const std::vector<std::vector<Matcher>> sets = {{Eq("job", "job3")}};
  ExpectCounts(*store->Cardinality({.limit = 5, .matcher_sets = sets}), job, 5);
}

TEST_P(CardinalityTest, ASeriesOfTwoSetsCountsOnce) {
  const auto store = MustOpen(options_);
  Write(*store, Fleet(), kTestNowMs);
  const std::vector<std::vector<Matcher>> sets = {{Eq("job", "job3"), Eq("__name__", "temp")},
                                                  {Eq("rank", "2"), Eq("__name__", "temp")}};
  const auto stats = store->Cardinality({.limit = 5, .matcher_sets = sets});
  EXPECT_EQ(stats->series_count, 4u + 10 - 1);
  EXPECT_EQ(stats->series_by_metric_name, (std::vector<NamedCount>{{"temp", 13}}));
}

TEST_P(CardinalityTest, SaysWhichSeriesAreInMemory) {
  const auto store = MustOpen(options_);
  const std::vector<LabelSet> fleet = Fleet();
  Write(*store, fleet, kTestNowMs);
  const auto in_memory = [&] { return store->Cardinality({})->head_series_count; };
  EXPECT_EQ(in_memory(), fleet.size());
  ASSERT_TRUE(store->Seal().ok());
  EXPECT_EQ(in_memory(), 0u);
  Write(*store, {fleet.begin(), fleet.begin() + 3}, kTestNowMs + 1);
  EXPECT_EQ(in_memory(), 3u);
  const std::vector<std::vector<Matcher>> sets = {{Eq("job", "job11")}};
  EXPECT_EQ(store->Cardinality({.matcher_sets = sets})->head_series_count, 0u);
  EXPECT_EQ(store->Cardinality({})->series_count, fleet.size());
}

TEST_P(CardinalityTest, ShowsWhatAppearedAndLeft) {
  options_.retention_ms = 20 * kHourMs;
  const auto store = MustOpen(options_);
  Write(*store, {Series("m", "old", 0), Series("m", "old", 1), Series("n", "old", 1)}, kTestNowMs);
  clock_.Turn(2 * kHourMs);
  Write(*store, {Series("m", "new", 0), Series("m", "old", 0)}, kTestNowMs + 2 * kHourMs);

  using Rows = std::vector<ChurnCount>;
  auto churn = store->Cardinality({})->churn;
  EXPECT_EQ(churn[0].total, (ChurnCount{"", 1, 0}));
  EXPECT_EQ(churn[0].by_job, (Rows{{"new", 1, 0}}));
  EXPECT_EQ(churn[1].by_metric_name, (Rows{{"m", 1, 0}}));
  EXPECT_EQ(churn[2].total, (ChurnCount{"", 4, 0}));
  EXPECT_EQ(churn[2].by_job, (Rows{{"old", 3, 0}, {"new", 1, 0}}));
  EXPECT_EQ(churn[2].by_metric_name, (Rows{{"m", 3, 0}, {"n", 1, 0}}));
  const std::vector<std::vector<Matcher>> sets = {{Eq("job", "new"), Eq("rank", "7")}};
  EXPECT_EQ(store->Cardinality({.matcher_sets = sets})->churn[2].by_job, (Rows{{"new", 1, 0}}));

  // All sealed samples are too old.
  ASSERT_TRUE(store->Seal().ok());
  clock_.Turn(26 * kHourMs);
  ASSERT_TRUE(store->DropExpired().ok());
  churn = store->Cardinality({})->churn;
  for (const ChurnStats& span : churn) {
    EXPECT_EQ(span.total, (ChurnCount{"", 0, 4}));
    EXPECT_EQ(span.by_job, (Rows{{"old", 0, 3}, {"new", 0, 1}}));
  }
  EXPECT_EQ(store->Cardinality({})->churn_since_ms, kTestNowMs);
}

INSTANTIATE_TEST_SUITE_P(Shards, CardinalityTest, testing::Values(1, 2, 7));

// A series that is being sealed and has new samples is in both heads.
TEST(CardinalityWalkTest, ASeriesInBothHeadsCountsOnce) {
  LooseShard shard;
  ShardState& state = shard.state();
  std::vector<SeriesId> ids;
  {
    WriterLock lock(state.mutex);
    for (int rank = 0; rank < 4; ++rank) {
      ids.push_back(state.dictionary.StageNew(Series("m", "a", rank)).id);
    }
    state.dictionary.CommitStaged();
    for (const SeriesId id : ids) state.active->Open(id, kNoTimeMs);
    for (const int i : {0, 1}) EXPECT_TRUE(state.active->AppendNewest(ids[i], {10, 1}));
    state.frozen = std::exchange(state.active, std::make_shared<Head>());
    for (const int i : {1, 2}) {
      state.active->Open(ids[i], kNoTimeMs);
      EXPECT_TRUE(state.active->AppendNewest(ids[i], {20, 1}));
    }
  }
  const auto count = [&state](const std::vector<std::vector<Matcher>>& sets) {
    CardinalityWalk walk({.matcher_sets = sets}, 0);
    EXPECT_TRUE(walk.Add(state).ok());
    return walk.Take().head_series_count;
  };
  EXPECT_EQ(count({}), 3u);
  EXPECT_EQ(count({{}}), 3u);
  EXPECT_EQ(count({{Matcher::Equal("rank", "0")}}), 1u);
  EXPECT_EQ(count({{Matcher::Equal("rank", "3")}}), 0u);
}

// More than are looked at under one lock.
TEST(CardinalityWalkTest, CountsManySeriesOfManyTargets) {
  constexpr int kRanks = 5000;
  LooseShard shard;
  ShardState& state = shard.state();
  {
    WriterLock lock(state.mutex);
    for (int rank = 0; rank < kRanks; ++rank) {
      const SeriesId id = state.dictionary.StageNew(Series("m", "a", rank)).id;
      state.active->Open(id, kNoTimeMs);
      EXPECT_TRUE(state.active->AppendNewest(id, {10, 1}));
    }
    state.dictionary.CommitStaged();
  }
  const std::vector<std::vector<Matcher>> all = {{}};
  for (const auto& sets : {std::vector<std::vector<Matcher>>(), all}) {
    CardinalityWalk walk({.limit = 1, .matcher_sets = sets}, 0);
    ASSERT_TRUE(walk.Add(state).ok());
    const CardinalityStats stats = walk.Take();
    EXPECT_EQ(stats.series_count, size_t{kRanks});
    EXPECT_EQ(stats.head_series_count, size_t{kRanks});
    EXPECT_EQ(stats.series_by_job, (std::vector<NamedCount>{{"a", kRanks}}));
    EXPECT_EQ(stats.values_by_label_name, (std::vector<NamedCount>{{"rank", kRanks}}));
  }
}

TEST(CardinalityWalkTest, ChurnIsOfTheTenantJobAndNameThatMatch) {
  LooseShard shard;
  ShardState& state = shard.state();
  {
    WriterLock lock(state.mutex);
    for (const LabelSet& labels : {Series("m", "a"), Series("n", "a"), Series("m", "b"),
                                   WithTenant("t", Series("m", "a"))}) {
      (void)state.dictionary.StageNew(labels);
    }
    state.dictionary.CommitStaged();
  }
  const auto appeared = [&state](const std::vector<std::vector<Matcher>>& sets, size_t limit = 10) {
    CardinalityWalk walk({.limit = limit, .matcher_sets = sets}, 0);
    EXPECT_TRUE(walk.Add(state).ok());
    return walk.Take().churn[0];
  };
  const Matcher job_a = Matcher::Equal("job", "a"), name_m = Matcher::Equal("__name__", "m");
  const std::string tenant(kTenantLabel);
  EXPECT_EQ(appeared({}).total.appeared, 4u);
  EXPECT_EQ(appeared({{job_a}}).total.appeared, 3u);
  EXPECT_EQ(appeared({{name_m}}).total.appeared, 3u);
  EXPECT_EQ(appeared({{job_a, name_m}}).total.appeared, 2u);
  EXPECT_EQ(appeared({{job_a, Matcher::Equal(tenant, "t")}}).total.appeared, 1u);
  EXPECT_EQ(appeared({{job_a, Matcher::Equal(tenant, "")}}).total.appeared, 2u);
  EXPECT_EQ(appeared({{Matcher::Equal("job", "c")}, {name_m}}).total.appeared, 3u);
  using Rows = std::vector<ChurnCount>;
  EXPECT_EQ(appeared({}).by_job, (Rows{{"a", 3, 0}, {"b", 1, 0}}));
  EXPECT_EQ(appeared({}, 1).by_job, (Rows{{"a", 3, 0}}));
  EXPECT_EQ(appeared({}, 1).by_metric_name, (Rows{{"m", 3, 0}}));
}

// By the number of changes, then by name.
TEST(CardinalityWalkTest, ChurnIsOrderedByWhatAppearedAndLeft) {
  LooseShard shard;
  ShardState& state = shard.state();
  {
    WriterLock lock(state.mutex);
    std::vector<SeriesId> gone;
    const auto add = [&](const char* job, int count, int left) LOCKSTEP_REQUIRES(state.mutex) {
      for (int rank = 0; rank < count; ++rank) {
        const SeriesId id = state.dictionary.StageNew(Series("m", job, rank)).id;
        if (rank < left) gone.push_back(id);
      }
    };
    add("three", 3, 0);
    add("d", 2, 0);
    add("four", 2, 2);
    add("c", 2, 0);
    state.dictionary.CommitStaged();
    state.dictionary.Remove(gone);
  }
  CardinalityWalk walk({}, 0);
  ASSERT_TRUE(walk.Add(state).ok());
  EXPECT_EQ(walk.Take().churn[0].by_job,
            (std::vector<ChurnCount>{{"four", 2, 2}, {"three", 3, 0}, {"c", 2, 0}, {"d", 2, 0}}));
}

}  // namespace
}  // namespace lockstep

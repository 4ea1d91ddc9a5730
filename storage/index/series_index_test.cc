#include "storage/index/series_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "storage/index/label_split.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ids = std::vector<SeriesId>;
using Words = std::vector<std::string>;

Matcher Match(const std::string& name, MatchType type, const std::string& value) {
  absl::StatusOr<Matcher> matcher = Matcher::Make(type, name, value);
  EXPECT_TRUE(matcher.ok()) << matcher.status();
  return *std::move(matcher);
}
Matcher Eq(const std::string& name, const std::string& value) {
  return Match(name, MatchType::kEqual, value);
}
Matcher Ne(const std::string& name, const std::string& value) {
  return Match(name, MatchType::kNotEqual, value);
}
Matcher Re(const std::string& name, const std::string& value) {
  return Match(name, MatchType::kRegex, value);
}
Matcher Nre(const std::string& name, const std::string& value) {
  return Match(name, MatchType::kNotRegex, value);
}

struct SplitSeries {
  explicit SplitSeries(const LabelSet& labels) { SplitLabels(labels, target, metric); }
  std::string target, metric;
};

// New targets and metrics get numbers from `next_part` on.
void Add(SeriesIndex& index, SeriesId id, const LabelSet& labels, uint32_t& next_part) {
  const SplitSeries split(labels);
  if (!index.targets().Find(split.target)) {
    index.AddTarget(next_part++, LabelSet::OfPacked(split.target), 1);
  }
  if (!index.metrics().Find(split.metric)) {
    index.AddMetric(next_part++, LabelSet::OfPacked(split.metric));
  }
  index.Add(id, {*index.targets().Find(split.target), *index.metrics().Find(split.metric)});
}

std::optional<SeriesId> Find(const SeriesIndex& index, const LabelSet& labels) {
  const SplitSeries split(labels);
  const std::optional<TargetId> target = index.targets().Find(split.target);
  const std::optional<MetricId> metric = index.metrics().Find(split.metric);
  if (!target || !metric) return std::nullopt;
  return index.series().Find({*target, *metric});
}

void FillWithTwoJobs(SeriesIndex& index) {
  uint32_t next_part = 0;
  Add(index, 1, LabelSet::Of({{"__name__", "up"}, {"job", "a"}, {"rank", "0"}}), next_part);
  Add(index, 2, LabelSet::Of({{"__name__", "up"}, {"job", "a"}, {"rank", "1"}}), next_part);
  Add(index, 3, LabelSet::Of({{"__name__", "up"}, {"job", "b"}}), next_part);
  Add(index, 4, LabelSet::Of({{"__name__", "power"}, {"job", "b"}, {"gpu", "0"}}), next_part);
}

TEST(SeriesIndex, SelectsByEveryKindOfMatcher) {
  SeriesIndex index;
  FillWithTwoJobs(index);
  const auto expect = [&](const std::vector<Matcher>& matchers, const Ids& ids) {
    const absl::StatusOr<Ids> selected = index.Select(matchers);
    ASSERT_TRUE(selected.ok()) << selected.status();
    std::string text;
    for (const Matcher& matcher : matchers) text += matcher.ToString() + " ";
    EXPECT_EQ(*selected, ids) << text;
  };
  expect({}, {1, 2, 3, 4});
  expect({Eq("__name__", "up")}, {1, 2, 3});
  expect({Eq("__name__", "down")}, {});
  expect({Eq("__name__", "up"), Eq("job", "b")}, {3});
  expect({Eq("rank", "")}, {3, 4});
  expect({Ne("rank", "")}, {1, 2});
  expect({Ne("rank", "1")}, {1, 3, 4});
  expect({Eq("nosuch", "")}, {1, 2, 3, 4});
  expect({Ne("nosuch", "")}, {});
  expect({Ne("nosuch", "x")}, {1, 2, 3, 4});
  expect({Re("rank", ".*")}, {1, 2, 3, 4});
  expect({Re("rank", ".+")}, {1, 2});
  expect({Nre("rank", ".+")}, {3, 4});
  expect({Nre("rank", ".*")}, {});
  expect({Re("rank", "0|")}, {1, 3, 4});
  expect({Nre("rank", "0|")}, {2});
  expect({Re("rank", "0|1|2")}, {1, 2});
  expect({Re("__name__", "u.*"), Re("job", "[ab]"), Ne("rank", "0")}, {2, 3});
  // Several matchers on one label.
  expect({Eq("job", "a"), Eq("job", "b")}, {});
  expect({Ne("rank", "0"), Ne("rank", "")}, {2});
  expect({Re("__name__", "up|power"), Ne("__name__", "up")}, {4});
}

TEST(SeriesIndex, NamesAndValuesAreOfTheSelectedSeries) {
  SeriesIndex index;
  FillWithTwoJobs(index);
  const std::vector<Matcher> up = {Eq("__name__", "up")};
  const std::vector<Matcher> job_b = {Eq("job", "b")};
  const std::vector<Matcher> none = {Eq("job", "c")};
  EXPECT_THAT(*index.LabelNames({}), ElementsAre("__name__", "gpu", "job", "rank"));
  EXPECT_THAT(*index.LabelNames(up), ElementsAre("__name__", "job", "rank"));
  EXPECT_THAT(*index.LabelNames(none), IsEmpty());
  EXPECT_THAT(*index.LabelValues("job", {}), ElementsAre("a", "b"));
  EXPECT_THAT(*index.LabelValues("__name__", job_b), ElementsAre("power", "up"));
  EXPECT_THAT(*index.LabelValues("rank", job_b), IsEmpty());
  EXPECT_THAT(*index.LabelValues("nosuch", {}), IsEmpty());
}

TEST(SeriesIndex, NamesAndValuesAreTakenFromTheBudget) {
  SeriesIndex index;
  FillWithTwoJobs(index);
  MemoryBudget memory(uint64_t{1} << 30);
  QueryBudget budget(1, QueryBudget::Clock::time_point::max(), memory);
  EXPECT_TRUE(index.LabelValues("job", {}, &budget).ok());
  EXPECT_GT(memory.stats().held_bytes, 0u);
  MemoryBudget little(uint64_t{64} << 10);
  QueryBudget small(1, QueryBudget::Clock::time_point::max(), little);
  EXPECT_TRUE(absl::IsResourceExhausted(index.LabelNames({}, &small).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(index.LabelValues("job", {}, &small).status()));
}

TEST(SeriesIndex, FindsSeriesByTheirLabels) {
  SeriesIndex index;
  FillWithTwoJobs(index);
  EXPECT_EQ(Find(index, LabelSet::Of({{"__name__", "up"}, {"job", "b"}})), 3u);
  EXPECT_EQ(Find(index, LabelSet::Of({{"__name__", "up"}})), std::nullopt);
  EXPECT_EQ(Find(index, LabelSet::Of({{"__name__", "up"}, {"job", "b"}, {"rank", "0"}})),
            std::nullopt);
  EXPECT_EQ(index.Labels(3), LabelSet::Of({{"__name__", "up"}, {"job", "b"}}));
}

TEST(SeriesIndex, RemovedSeriesLeaveNothingBehind) {
  SeriesIndex index;
  FillWithTwoJobs(index);
  const Ids gone = {4, 1, 4, 99};
  const SeriesTable::Emptied emptied = index.Remove(gone);
  EXPECT_EQ(emptied.targets.size(), 2u);  // rank 0 of job a, gpu 0 of job b
  EXPECT_EQ(emptied.metrics.size(), 1u);  // power
  EXPECT_EQ(index.series_count(), 2u);
  EXPECT_FALSE(index.Contains(4));
  EXPECT_EQ(Find(index, LabelSet::Of({{"__name__", "power"}, {"job", "b"}, {"gpu", "0"}})),
            std::nullopt);
  EXPECT_THAT(*index.LabelNames({}), ElementsAre("__name__", "job", "rank"));
  EXPECT_THAT(*index.LabelValues("__name__", {}), ElementsAre("up"));
  EXPECT_THAT(*index.Select({}), ElementsAre(2u, 3u));
  index.Remove(Ids{2, 3});
  EXPECT_EQ(index.series_count(), 0u);
  EXPECT_EQ(index.label_pair_count(), 0u);
  EXPECT_EQ(index.targets().size() + index.metrics().size(), 0u);
  EXPECT_THAT(*index.LabelNames({}), IsEmpty());
}

TEST(SeriesIndex, ARenumberedSeriesKeepsItsLabels) {
  SeriesIndex index;
  FillWithTwoJobs(index);
  const LabelSet labels = index.Labels(4);
  index.Renumber(4, 9);  // the only series of its target and of its metric
  EXPECT_FALSE(index.Contains(4));
  EXPECT_EQ(index.Labels(9), labels);
  EXPECT_EQ(Find(index, labels), 9u);
  EXPECT_THAT(*index.Select(std::vector<Matcher>{Eq("job", "b")}), ElementsAre(3u, 9u));
  EXPECT_THAT(*index.Select(std::vector<Matcher>{Eq("__name__", "power")}), ElementsAre(9u));
}

TEST(SeriesIndex, AStoppedQueryStopsTheSelection) {
  SeriesIndex index;
  FillWithTwoJobs(index);
  QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
  budget.Cancel();
  const std::vector<Matcher> matchers = {Re("job", "[ab]")};
  EXPECT_EQ(index.Select(matchers, &budget).status().code(), absl::StatusCode::kCancelled);
}

// The reference checks every series separately.
class Model {
 public:
  void Add(SeriesId id, const LabelSet& labels) { series_.emplace(id, labels); }
  void Remove(SeriesId id) { series_.erase(id); }
  bool Has(const LabelSet& labels) const {
    return std::any_of(series_.begin(), series_.end(),
                       [&](const auto& entry) { return entry.second == labels; });
  }
  const std::map<SeriesId, LabelSet>& series() const { return series_; }

  std::map<SeriesId, LabelSet> Select(const std::vector<Matcher>& matchers) const {
    std::map<SeriesId, LabelSet> selected;
    for (const auto& [id, labels] : series_) {
      const bool all = std::all_of(matchers.begin(), matchers.end(), [&](const Matcher& matcher) {
        return matcher.Matches(labels.Get(matcher.name()));
      });
      if (all) selected.emplace(id, labels);
    }
    return selected;
  }

 private:
  std::map<SeriesId, LabelSet> series_;
};

// Labels of targets and of metrics.
const char* const kNames[] = {"__name__", "job", "rank", "gpu", "host", "le", "mode"};

LabelSet RandomLabels(std::mt19937& random) {
  LabelSetBuilder builder;
  builder.Set("__name__", "m" + std::to_string(random() % 3));
  for (const char* name : {"job", "rank", "gpu"}) {
    if (random() % 3 != 0) builder.Set(name, std::to_string(random() % 12));
  }
  if (random() % 2 == 0) builder.Set("host", "node-" + std::to_string(random() % 200));
  if (random() % 3 == 0) builder.Set("le", std::to_string(random() % 5));
  if (random() % 5 == 0) builder.Set("mode", "m" + std::to_string(random() % 2));
  if (random() % 20 == 0) builder.Delete("__name__");
  return builder.Build();
}

Matcher RandomMatcher(std::mt19937& random) {
  const char* const values[] = {"",      "1",   "m1",      "node-7", "1|2|3", "1|",  "node-1.*",
                                ".*",    ".+",  "[0-5]",   "m[01]",  "(1|2)", "1.*", "node-(1|2)",
                                "m1|m2", ".*1", "node-.+", "x|y",    "()",    "m.*"};
  const std::string name = random() % 12 == 0 ? "nosuch" : kNames[random() % std::size(kNames)];
  return Match(name, static_cast<MatchType>(random() % 4), values[random() % std::size(values)]);
}

std::set<std::string> NamesOf(const std::map<SeriesId, LabelSet>& series) {
  std::set<std::string> names;
  for (const auto& [id, labels] : series) {
    for (const LabelView& label : labels) names.emplace(label.name);
  }
  return names;
}

std::set<std::string> ValuesOf(const std::map<SeriesId, LabelSet>& series, const char* name) {
  std::set<std::string> values;
  for (const auto& [id, labels] : series) {
    if (labels.Has(name)) values.emplace(labels.Get(name));
  }
  return values;
}

void ExpectSameAnswers(const SeriesIndex& index, const Model& model, std::mt19937& random) {
  std::vector<Matcher> matchers;
  for (size_t i = random() % 5; i > 0; --i) matchers.push_back(RandomMatcher(random));
  std::string text;
  for (const Matcher& matcher : matchers) text += matcher.ToString() + " ";

  const std::map<SeriesId, LabelSet> expected = model.Select(matchers);
  Ids ids;
  for (const auto& [id, labels] : expected) ids.push_back(id);
  ASSERT_EQ(*index.Select(matchers), ids) << text;
  const std::set<std::string> names = NamesOf(expected);
  ASSERT_EQ(*index.LabelNames(matchers), Words(names.begin(), names.end())) << text;
  const char* name = kNames[random() % std::size(kNames)];
  const std::set<std::string> values = ValuesOf(expected, name);
  ASSERT_EQ(*index.LabelValues(name, matchers), Words(values.begin(), values.end()))
      << name << " of " << text;
}

TEST(SeriesIndex, AgreesWithAskingEverySeries) {
  std::mt19937 random(4);
  uint32_t next_part = 0;
  SeriesIndex index;
  Model model;
  for (int round = 0; round < 400; ++round) {
    // Many at once now and then, so that each way to select is sometimes the best one.
    for (size_t i = random() % (round % 100 == 50 ? 3000 : 20); i > 0; --i) {
      const LabelSet labels = RandomLabels(random);
      const auto id = static_cast<SeriesId>(random() % 1000000);
      const bool known = model.Has(labels);
      ASSERT_EQ(Find(index, labels).has_value(), known);
      if (known || model.series().contains(id)) continue;
      Add(index, id, labels, next_part);
      model.Add(id, labels);
    }
    if (round % 5 == 4) {
      Ids gone;
      for (const auto& [id, labels] : model.series()) {
        if (random() % 8 == 0) gone.push_back(id);
      }
      std::shuffle(gone.begin(), gone.end(), random);
      index.Remove(gone);
      for (const SeriesId id : gone) model.Remove(id);
    }
    ASSERT_EQ(index.series_count(), model.series().size());
    for (const auto& [id, labels] : model.series()) {
      ASSERT_EQ(index.Labels(id), labels);
      ASSERT_EQ(Find(index, labels), id);
    }
    for (int question = 0; question < 10; ++question) ExpectSameAnswers(index, model, random);
  }
}

// As in a fleet: each target has the same many metrics.
TEST(SeriesIndex, AgreesWithAskingEverySeriesOfAFleet) {
  uint32_t next_part = 0;
  SeriesIndex index;
  Model model;
  for (int rank = 0; rank < 60; ++rank) {
    for (int metric = 0; metric < 40; ++metric) {
      const std::string name = "m" + std::to_string(metric);
      const std::string number = std::to_string(rank), job = std::to_string(rank / 20);
      const LabelSet labels = LabelSet::Of({{"__name__", name}, {"rank", number}, {"job", job}});
      const auto id = static_cast<SeriesId>(model.series().size());
      Add(index, id, labels, next_part);
      model.Add(id, labels);
    }
  }
  std::mt19937 random(5);
  const auto one_of = [&random](const std::vector<Matcher>& matchers) {
    return matchers[random() % matchers.size()];
  };
  for (int question = 0; question < 500; ++question) {
    std::vector<Matcher> matchers;
    if (random() % 4 != 0) {
      matchers.push_back(
          one_of({Eq("__name__", "m" + std::to_string(random() % 41)), Re("__name__", "m1.*"),
                  Re("__name__", "m3|m5|m7"), Ne("__name__", "m3"), Nre("__name__", "m[0-2].*")}));
    }
    if (random() % 4 != 0) {
      matchers.push_back(one_of({Eq("rank", std::to_string(random() % 61)), Re("rank", "1.*"),
                                 Eq("job", "2"), Ne("job", "1"), Re("rank", "3|5|50")}));
    }
    const std::map<SeriesId, LabelSet> expected = model.Select(matchers);
    Ids ids;
    for (const auto& [id, labels] : expected) ids.push_back(id);
    ASSERT_EQ(*index.Select(matchers), ids);
    for (const char* name : {"__name__", "rank", "job"}) {
      const std::set<std::string> values = ValuesOf(expected, name);
      ASSERT_EQ(*index.LabelValues(name, matchers), Words(values.begin(), values.end()));
    }
  }
}

}  // namespace
}  // namespace lockstep

#include "storage/index/series_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Indexed by target and metric, and by metric and id.
class TableModel {
 public:
  void Add(SeriesId id, SeriesParts parts) {
    ids_[{parts.target, parts.metric}] = id;
    parts_[id] = parts;
  }
  void Remove(SeriesId id) {
    const SeriesParts parts = parts_[id];
    ids_.erase({parts.target, parts.metric});
    parts_.erase(id);
  }
  const std::map<SeriesId, SeriesParts>& parts() const { return parts_; }
  bool Has(SeriesParts parts) const { return ids_.contains({parts.target, parts.metric}); }
  bool HasTarget(TargetId target) const {
    return std::any_of(ids_.begin(), ids_.end(),
                       [=](const auto& entry) { return entry.first.first == target; });
  }
  bool HasMetric(MetricId metric) const {
    return std::any_of(ids_.begin(), ids_.end(),
                       [=](const auto& entry) { return entry.first.second == metric; });
  }

 private:
  std::map<std::pair<TargetId, MetricId>, SeriesId> ids_;
  std::map<SeriesId, SeriesParts> parts_;
};

void ExpectSame(const SeriesTable& table, const TableModel& model) {
  ASSERT_EQ(table.size(), model.parts().size());
  std::map<TargetId, std::map<MetricId, SeriesId>> by_target;
  std::map<MetricId, Postings> by_metric;
  for (const auto& [id, parts] : model.parts()) {
    ASSERT_TRUE(table.Contains(id));
    ASSERT_EQ(table.PartsOf(id), parts);
    ASSERT_EQ(table.Find(parts), id);
    by_target[parts.target][parts.metric] = id;
    by_metric[parts.metric].push_back(id);
  }
  for (const auto& [target, expected] : by_target) {
    std::map<MetricId, SeriesId> found;
    MetricId previous = 0;
    for (const TargetSeries& one : table.OfTarget(target)) {
      EXPECT_TRUE(found.empty() || previous < one.metric);
      previous = one.metric;
      found[one.metric] = one.id;
    }
    ASSERT_EQ(found, expected);
  }
  for (const auto& [metric, expected] : by_metric) {
    const PostingsView found = table.OfMetric(metric);
    ASSERT_EQ(Postings(found.begin(), found.end()), expected);
  }
}

TEST(SeriesTable, AgreesWithMapsThroughManyRemovals) {
  std::mt19937 random(3);
  SeriesTable table;
  TableModel model;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 300; ++i) {
      const auto id = static_cast<SeriesId>(random() % 100'000);
      const SeriesParts parts = {static_cast<TargetId>(random() % 40),
                                 static_cast<MetricId>(random() % 60)};
      ASSERT_EQ(table.Find(parts).has_value(), model.Has(parts));
      if (model.Has(parts) || model.parts().contains(id)) continue;
      table.Add(id, parts);
      model.Add(id, parts);
    }
    Postings gone = {1'000'000};  // not there
    for (const auto& [id, parts] : model.parts()) {
      if (random() % 10 < 7) gone.push_back(id);
    }
    std::shuffle(gone.begin(), gone.end(), random);
    const SeriesTable::Emptied emptied = table.Remove(gone);
    for (const SeriesId id : gone) {
      if (model.parts().contains(id)) model.Remove(id);
    }
    for (const TargetId target : emptied.targets) EXPECT_FALSE(model.HasTarget(target));
    for (const MetricId metric : emptied.metrics) EXPECT_FALSE(model.HasMetric(metric));
    ExpectSame(table, model);
  }
}

TEST(SeriesTable, SaysWhichTargetsAndMetricsHaveNoSeriesLeft) {
  SeriesTable table;
  table.Add(1, {10, 20});
  table.Add(2, {10, 21});
  table.Add(3, {11, 20});
  const auto remove = [&table](Postings ids) { return table.Remove(ids); };
  SeriesTable::Emptied emptied = remove({2});
  EXPECT_THAT(emptied.targets, IsEmpty());
  EXPECT_THAT(emptied.metrics, ElementsAre(21u));
  emptied = remove({3, 1, 2});
  EXPECT_THAT(emptied.targets, ElementsAre(10u, 11u));
  EXPECT_THAT(emptied.metrics, ElementsAre(20u));
  EXPECT_THAT(table.OfTarget(10), IsEmpty());
  EXPECT_THAT(table.OfMetric(20), IsEmpty());
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace lockstep

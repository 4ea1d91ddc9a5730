#include "storage/index/series_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace lockstep {
namespace {

using Model = std::map<SeriesId, std::vector<PairId>>;

void ExpectSame(const SeriesTable& table, const Model& model) {
  ASSERT_EQ(table.size(), model.size());
  for (const auto& [id, pairs] : model) {
    ASSERT_TRUE(table.Contains(id));
    const std::span<const PairId> run = table.Pairs(id);
    ASSERT_EQ(std::vector<PairId>(run.begin(), run.end()), pairs);
  }
}

TEST(SeriesTable, AgreesWithAMapThroughManyRemovals) {
  std::mt19937 random(3);
  SeriesTable table;
  Model model;
  SeriesId next_id = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 3000; ++i) {
      std::vector<PairId> pairs(random() % 20);
      for (PairId& pair : pairs) pair = random();
      table.Add(next_id, pairs);
      model.emplace(next_id++, std::move(pairs));
    }
    std::erase_if(model, [&](const auto& entry) {
      const bool gone = random() % 10 < 7;
      if (gone) table.Remove(entry.first);
      return gone;
    });
    ExpectSame(table, model);
  }
}

TEST(SeriesTable, RunsThatFillABlockOrAreLonger) {
  SeriesTable table;
  Model model;
  SeriesId id = 0;
  for (const size_t length : {size_t{1} << 16, size_t{0}, size_t{100000}, size_t{0}, size_t{3},
                              (size_t{1} << 16) - 3, size_t{0}, size_t{1}}) {
    std::vector<PairId> pairs(length, id);
    table.Add(id, pairs);
    model.emplace(id++, std::move(pairs));
  }
  ExpectSame(table, model);
}

}  // namespace
}  // namespace lockstep

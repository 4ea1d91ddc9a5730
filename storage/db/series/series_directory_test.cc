#include "storage/db/series/series_directory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace lockstep {
namespace {

// Keys whose home places crowd at both ends of the table, so that probing wraps around.
SeriesKey CrowdedKey(std::mt19937& random) {
  const uint64_t low = random() % 4 == 0 ? ~uint64_t{random() % 64} : uint64_t{random() % 64};
  return {random() % 8, low};
}

TEST(SeriesDirectory, IsAMap) {
  std::mt19937 random(1);
  SeriesDirectory directory;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> model;
  for (uint32_t round = 0; round < 20'000; ++round) {
    const SeriesKey key = CrowdedKey(random);
    const std::pair model_key(key.high, key.low);
    switch (random() % 4) {
      case 0:
        directory.Remove({&key, 1});
        model.erase(model_key);
        break;
      case 1: {
        const SeriesDirectory::Entry entry{key, {round % 7, round}};
        directory.Add({&entry, 1});
        model[model_key] = round;
        break;
      }
      default: {
        const auto ref = directory.Find(key);
        const auto expected = model.find(model_key);
        ASSERT_EQ(ref.has_value(), expected != model.end());
        if (ref.has_value()) {
          ASSERT_EQ(ref->id, expected->second);
        }
      }
    }
    ASSERT_EQ(directory.size(), model.size());
  }
  EXPECT_GT(model.size(), 100u);
}

TEST(SeriesDirectory, GrowsAndFindsMany) {
  std::vector<SeriesDirectory::Entry> entries;
  std::vector<SeriesKey> keys;
  std::mt19937_64 random(2);
  for (uint32_t i = 0; i < 5000; ++i) {
    entries.push_back({{random(), random()}, {i % 3, i}});
    keys.push_back(entries.back().key);
    keys.push_back({random(), random()});
  }
  std::vector<SeriesRef> refs(keys.size());
  SeriesDirectory directory;
  directory.FindAll(keys, refs);
  EXPECT_FALSE(refs[0].known());
  directory.Add(std::span(entries).first(2500));
  directory.Add(std::span(entries).subspan(2500));
  directory.FindAll(keys, refs);
  for (uint32_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(refs[2 * i].known());
    ASSERT_EQ(refs[2 * i].id, i);
    ASSERT_EQ(refs[2 * i].shard, i % 3);
    ASSERT_FALSE(refs[2 * i + 1].known());
  }
}

}  // namespace
}  // namespace lockstep

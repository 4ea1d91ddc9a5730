#include "base/memory/sparse_array.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace lockstep {
namespace {

using Array = SparseArray<std::string, 6>;

TEST(SparseArray, AgreesWithAMap) {
  std::mt19937 random(1);
  Array array;
  std::map<uint32_t, std::string> model;
  for (int round = 0; round < 5000; ++round) {
    const auto number = static_cast<uint32_t>(random() % 1000);
    ASSERT_EQ(array.Has(number), model.contains(number));
    if (model.erase(number) == 1) {
      array.Erase(number);
    } else {
      const std::string text = std::to_string(random());
      EXPECT_EQ(array.Put(number, text), text);
      model[number] = text;
    }
    ASSERT_EQ(array.size(), model.size());
  }
  std::map<uint32_t, std::string> found;
  uint32_t next = 0;
  array.ForEach([&](uint32_t number, const std::string& text) {
    EXPECT_GE(number, next);
    next = number + 1;
    EXPECT_EQ(array[number], text);
    found[number] = text;
  });
  EXPECT_EQ(found, model);
}

TEST(SparseArray, VisitsARangeWithBothEnds) {
  Array array;
  for (const uint32_t number : {0u, 5u, 63u, 64u, 200u, 4'000'000u}) array.Put(number, "x");
  const auto visited = [&array](uint32_t first, uint32_t last) {
    std::vector<uint32_t> numbers;
    array.ForEachFrom(first, last,
                      [&](uint32_t number, const std::string&) { numbers.push_back(number); });
    return numbers;
  };
  EXPECT_EQ(visited(0, 4'000'000), (std::vector<uint32_t>{0, 5, 63, 64, 200, 4'000'000}));
  EXPECT_EQ(visited(5, 64), (std::vector<uint32_t>{5, 63, 64}));
  EXPECT_EQ(visited(6, 62), (std::vector<uint32_t>{}));
  EXPECT_EQ(visited(5'000'000, UINT32_MAX), (std::vector<uint32_t>{}));
}

TEST(SparseArray, PagesGoWithTheirLastElement) {
  SparseArray<std::shared_ptr<int>, 6> array;
  const auto item = std::make_shared<int>(1);
  for (uint32_t number = 0; number < 1000; ++number) array.Put(number, item);
  EXPECT_EQ(item.use_count(), 1001);
  array.Erase(7);
  EXPECT_EQ(item.use_count(), 1000);  // at once, though its page stays
  for (uint32_t number = 8; number < 1000; ++number) array.Erase(number);
  EXPECT_EQ(item.use_count(), 8);
  EXPECT_FALSE(array.Has(999));
  array.Put(7, item);
  EXPECT_TRUE(array.Has(7));
}

}  // namespace
}  // namespace lockstep

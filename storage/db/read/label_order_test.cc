#include "storage/db/read/label_order.h"

#include <gtest/gtest.h>

#include <random>

namespace lockstep {
namespace {

// Few letters, so that there are many equal parts; among them the ones that have a meaning in keys.
LabelSet RandomLabels(std::mt19937& random) {
  const auto text = [&random](size_t min_size) {
    constexpr std::string_view kLetters("\0\1\2ab\xff", 6);
    std::string letters;
    const size_t long_ones = random() % 4 == 0 ? 8 : 0;
    for (size_t size = min_size + random() % 3 + long_ones; letters.size() < size;) {
      letters += kLetters[random() % kLetters.size()];
    }
    return letters;
  };
  LabelSetBuilder builder((LabelSet()));
  for (size_t count = random() % 4; count > 0; --count) builder.Set(text(1), text(1));
  return std::move(builder).Build();
}

TEST(LabelOrder, IsThatOfLabelSets) {
  std::mt19937 random(3);
  std::vector<LabelSet> sets;
  for (int i = 0; i < 400; ++i) sets.push_back(RandomLabels(random));
  std::vector<const LabelSet*> pointers;
  for (const LabelSet& set : sets) pointers.push_back(&set);
  const std::vector<uint32_t> order = OrderByLabels(pointers);
  ASSERT_EQ(order.size(), sets.size());
  for (size_t i = 1; i < order.size(); ++i) {
    const LabelSet& before = sets[order[i - 1]];
    const LabelSet& after = sets[order[i]];
    EXPECT_TRUE(before < after || (before == after && order[i - 1] < order[i]));
  }
}

}  // namespace
}  // namespace lockstep

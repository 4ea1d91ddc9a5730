#include "model/series_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace lockstep {
namespace {

TEST(SeriesKey, IsTheSameForTheSameBytes) {
  const std::string bytes(100, 'a');
  const std::string again(100, 'a');
  EXPECT_EQ(SeriesKeyOfWire(bytes), SeriesKeyOfWire(again));
  EXPECT_EQ(SeriesKeyOfWire(""), SeriesKeyOfWire(std::string()));
}

// Each half alone tells all of them apart: lengths, single bits, single bytes and swaps.
TEST(SeriesKey, DiffersForEverySmallChange) {
  std::set<std::string> inputs;
  for (size_t size = 0; size < 70; ++size) {
    const std::string zeros(size, '\0');
    inputs.insert(zeros);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      std::string changed = zeros;
      changed[bit / 8] = static_cast<char>(1 << (bit % 8));
      inputs.insert(changed);
      changed[size - 1 - bit / 8] = 'x';
      inputs.insert(changed);
    }
  }
  std::set<uint64_t> highs, lows;
  for (const std::string& input : inputs) {
    const SeriesKey key = SeriesKeyOfWire(input);
    EXPECT_TRUE(highs.insert(key.high).second);
    EXPECT_TRUE(lows.insert(key.low).second);
  }
  EXPECT_GT(inputs.size(), 10'000u);
}

TEST(SeriesKey, OfLabelsIsThatOfTheirWireForm) {
  const std::string wire(
      "\x0a\x0e"
      "\x0a\x08__name__\x12\x02up"
      "\x0a\x0a"
      "\x0a\x03job\x12\x03gpu",
      28);
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of({{"job", "gpu"}, {"__name__", "up"}})), SeriesKeyOfWire(wire));
  EXPECT_EQ(SeriesKeyOf(LabelSet()), SeriesKeyOfWire(""));
  const std::string text(200, 'v');
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of({{"a", text}})), SeriesKeyOfWire("\x0a\xce\x01\x0a\x01"
                                                                      "a\x12\xc8\x01" +
                                                                      text));
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of({{text, "a"}})),
            SeriesKeyOfWire("\x0a\xce\x01\x0a\xc8\x01" + text +
                            "\x12\x01"
                            "a"));
}

}  // namespace
}  // namespace lockstep

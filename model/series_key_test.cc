#include "model/series_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace lockstep {
namespace {

TEST(SeriesKey, IsTheSameForTheSameBytes) {
  const std::string bytes(100, 'a');
  const std::string again(100, 'a');
  EXPECT_EQ(HashOfLabels(bytes), HashOfLabels(again));
  EXPECT_EQ(HashOfLabels(""), HashOfLabels(std::string()));
}

// Each half alone distinguishes all of them: lengths, single bits, single bytes and swaps.
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
    const SeriesKey key = SeriesKeyOfWire({input, "", ""});
    EXPECT_TRUE(highs.insert(key.high).second);
    EXPECT_TRUE(lows.insert(key.low).second);
  }
  EXPECT_GT(inputs.size(), 10'000u);
}

// The boundaries between runs are part of the key.
TEST(SeriesKey, TellsTheRunsApart) {
  std::set<uint64_t> highs, lows;
  const std::vector<WireLabels> all = {{"ab", "", ""}, {"", "ab", ""}, {"", "", "ab"},
                                       {"a", "b", ""}, {"a", "", "b"}, {"", "a", "b"},
                                       {"b", "a", ""}};
  for (const WireLabels& labels : all) {
    const SeriesKey key = SeriesKeyOfWire(labels);
    EXPECT_TRUE(highs.insert(key.high).second);
    EXPECT_TRUE(lows.insert(key.low).second);
  }
}

TEST(SeriesKey, OfLabelsIsThatOfTheirWireForm) {
  const std::string name(
      "\x0a\x0e"
      "\x0a\x08__name__\x12\x02up",
      16);
  const std::string job(
      "\x0a\x0a"
      "\x0a\x03job\x12\x03gpu",
      12);
  const std::string gpu(
      "\x0a\x08"
      "\x0a\x03GPU\x12\x01"
      "7",
      10);
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of({{"job", "gpu"}, {"__name__", "up"}, {"GPU", "7"}})),
            SeriesKeyOfWire({gpu, name, job}));
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of({{"job", "gpu"}, {"GPU", "7"}})),
            SeriesKeyOfWire({gpu + job, "", ""}));
  EXPECT_EQ(SeriesKeyOf(LabelSet()), SeriesKeyOfWire({}));
}

// 512 bytes are hashed at a time.
TEST(SeriesKey, LongRunsDifferWhereverTheyDo) {
  for (const size_t size : {496, 511, 512, 513, 528, 1024, 1025, 2000}) {
    std::set<uint64_t> highs, lows;
    const std::string same(size, 'a');
    for (size_t at = 0; at <= size; ++at) {
      std::string changed = same;
      if (at < size) changed[at] = 'b';
      const LabelsHash hash = HashOfLabels(changed);
      EXPECT_TRUE(highs.insert(hash.high).second) << size << " " << at;
      EXPECT_TRUE(lows.insert(hash.low).second) << size << " " << at;
    }
    EXPECT_EQ(HashOfLabels(same), HashOfLabels(std::string(size, 'a')));
  }
}

TEST(SeriesKey, PiecesAreInOrder) {
  const std::string a(512, 'a'), b(512, 'b');
  EXPECT_FALSE(HashOfLabels(a + b) == HashOfLabels(b + a));
  EXPECT_FALSE(HashOfLabels(a) == HashOfLabels(a + a));
  EXPECT_FALSE(HashOfLabels(a + b) == HashOfLabels(b + b));
}

TEST(SeriesKey, OfLabelsWithManyLongTextsIsThatOfTheirWireForm) {
  std::string wire;
  std::vector<std::pair<std::string, std::string>> texts;
  for (char c = 'a'; c <= 'z'; ++c) {
    texts.emplace_back(std::string(static_cast<size_t>(c), c),
                       std::string(3 * static_cast<size_t>(c), 'v'));
  }
  std::vector<LabelView> labels;
  for (const auto& [name, value] : texts) {
    labels.push_back({name, value});
    AppendWireLabel(name, value, wire);
  }
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of(labels)), SeriesKeyOfWire({wire, "", ""}));
  // A smaller set after a larger one.
  std::string one;
  AppendWireLabel("a", "1", one);
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of({{"a", "1"}})), SeriesKeyOfWire({one, "", ""}));
}

TEST(SeriesKey, LabelsAreAppendedInTheirWireForm) {
  const std::string text(200, 'v');
  std::string wire = "x";
  AppendWireLabel("a", text, wire);
  AppendWireLabel(text, "a", wire);
  EXPECT_EQ(wire,
            "x\x0a\xce\x01\x0a\x01"
            "a\x12\xc8\x01" +
                text + "\x0a\xce\x01\x0a\xc8\x01" + text +
                "\x12\x01"
                "a");
  EXPECT_EQ(SeriesKeyOf(LabelSet::Of({{"a", text}})),
            SeriesKeyOfWire({wire.substr(1, 209), "", ""}));
}

}  // namespace
}  // namespace lockstep

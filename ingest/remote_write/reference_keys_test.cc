#include "ingest/remote_write/reference_keys.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {
namespace {

const std::vector<std::string> kTexts = {"",      "__name__", "up",    "down", "UUID", "GPU-1",
                                         "GPU-2", "job",      "train", "host", "n1",   "n2"};

SymbolTable Symbols() {
  SymbolTable symbols;
  for (const std::string& text : kTexts) symbols.Add(text);
  return symbols;
}

std::string Packed(const std::vector<uint32_t>& numbers) {
  std::string bytes;
  for (uint32_t number : numbers) {
    for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
    bytes += static_cast<char>(number);
  }
  return bytes;
}

LabelSet Labels(const std::vector<uint32_t>& numbers) {
  std::vector<LabelView> labels;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    labels.push_back({kTexts[numbers[i]], kTexts[numbers[i + 1]]});
  }
  return LabelSet::Of(std::move(labels));
}

TEST(ReferenceKeys, AreThoseOfTheLabels) {
  const SymbolTable symbols = Symbols();
  std::vector<std::vector<uint32_t>> all;
  for (const uint32_t uuid : {5, 6}) {
    for (const uint32_t host : {10, 11}) {
      for (const uint32_t name : {2, 3}) {
        all.push_back({4, uuid, 1, name, 9, host, 7, 8});
        all.push_back({4, uuid, 1, name, 9, host});
        all.push_back({1, name, 9, host});
        all.push_back({4, uuid, 1, name});
      }
    }
  }
  std::mt19937 random(1);
  ReferenceKeys keys;
  // A request's bytes must stay while it is decoded.
  std::vector<std::string> packed(2000);
  for (size_t i = 0; i < packed.size(); ++i) {
    if (i % 100 == 0) keys.Clear();
    const std::vector<uint32_t>& numbers =
        all[i < 500 ? i / 20 % all.size() : random() % all.size()];
    packed[i] = Packed(numbers);
    const auto labelled = keys.Of(packed[i], symbols);
    ASSERT_TRUE(labelled.has_value()) << i;
    EXPECT_EQ(labelled->key, SeriesKeyOf(Labels(numbers))) << i;
    EXPECT_EQ(kTexts[labelled->name], Labels(numbers).metric_name());
    EXPECT_EQ(labelled->label_count, numbers.size() / 2);
    size_t bytes = 0;
    for (const uint32_t number : numbers) bytes += kTexts[number].size();
    EXPECT_EQ(labelled->label_bytes, bytes);
  }
}

// Whether there is a key, checked twice: a failure must not be cached as a label.
bool HasKey(const std::vector<uint32_t>& numbers) {
  const SymbolTable symbols = Symbols();
  const std::string packed = Packed(numbers), good = Packed({4, 5, 1, 2, 9, 10});
  ReferenceKeys keys;
  const bool has = keys.Of(packed, symbols).has_value();
  EXPECT_TRUE(keys.Of(good, symbols).has_value());
  EXPECT_EQ(keys.Of(packed, symbols).has_value(), has);
  EXPECT_EQ(keys.Of(packed, symbols).has_value(), has);
  return has;
}

TEST(ReferenceKeys, AreOfLabelsOnly) {
  EXPECT_TRUE(HasKey({1, 2}));
  EXPECT_FALSE(HasKey({}));
  EXPECT_FALSE(HasKey({1}));
  EXPECT_FALSE(HasKey({1, 2, 7}));
  EXPECT_FALSE(HasKey({7, 8}));  // no name
  EXPECT_FALSE(HasKey({7, 1}));  // a value that looks like one
  EXPECT_FALSE(HasKey({4, 99, 1, 2, 9, 10}));
  EXPECT_FALSE(HasKey({4, 5, 1, 99, 9, 10}));
  EXPECT_FALSE(HasKey({4, 5, 1, 2, 9, 99}));
  EXPECT_FALSE(HasKey({4, 5, 1, 2, 9, 1 << 30}));
  EXPECT_FALSE(HasKey({4, 5, 1, 2, 9}));
  EXPECT_TRUE(HasKey(std::vector<uint32_t>(2 * ReferenceKeys::kMaxLabels, 1)));
  EXPECT_FALSE(HasKey(std::vector<uint32_t>(2 * ReferenceKeys::kMaxLabels + 2, 1)));
}

TEST(ReferenceKeys, AreNotOfVeryLongTexts) {
  const std::string longest(ReferenceKeys::kMaxTextBytes, 'x');
  const std::string too_long = longest + "x";
  for (const std::string& text : {longest, too_long}) {
    SymbolTable symbols = Symbols();
    symbols.Add(text);
    const auto number = static_cast<uint32_t>(kTexts.size());
    ReferenceKeys keys;
    for (const std::vector<uint32_t>& numbers :
         {std::vector<uint32_t>{1, number}, {1, 2, 7, number}, {1, 2, number, 8}}) {
      const std::string packed = Packed(numbers);
      EXPECT_EQ(keys.Of(packed, symbols).has_value(), text == longest);
      keys.Clear();
    }
  }
}

}  // namespace
}  // namespace lockstep

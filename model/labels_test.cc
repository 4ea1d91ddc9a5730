#include "model/labels.h"

#include <gtest/gtest.h>

#include "tests/support/format_page.h"

namespace lockstep {
namespace {

TEST(LabelSet, SortsDropsEmptyValuesAndKeepsTheLastOfARepeatedName) {
  const LabelSet labels =
      LabelSet::Of({{"rank", "3"}, {"__name__", "up"}, {"host", ""}, {"rank", "4"}});
  EXPECT_EQ(labels.ToString(), "up{rank=\"4\"}");
  EXPECT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.Get("rank"), "4");
  EXPECT_EQ(labels.Get("host"), "");
}

TEST(LabelSet, OrderIsByNameThenValueAndAPrefixComesFirst) {
  const LabelSet none;
  const LabelSet a1 = LabelSet::Of({{"a", "1"}});
  const LabelSet a1b = LabelSet::Of({{"a", "1"}, {"b", "1"}});
  // Longer values have longer length bytes in the packed form, which must not affect the order.
  const LabelSet a10 = LabelSet::Of({{"a", "10"}});
  const LabelSet a2 = LabelSet::Of({{"a", "2"}});
  EXPECT_LT(none, a1);
  EXPECT_LT(a1, a1b);
  EXPECT_LT(a1b, a10);
  EXPECT_LT(a10, a2);
}

TEST(LabelSet, KeepDropAndBuilderAgree) {
  const LabelSet labels = LabelSet::Of({{"__name__", "m"}, {"job", "j"}, {"rank", "0"}});
  EXPECT_EQ(labels.Keep({"rank", "job"}), labels.DropMetricName());
  EXPECT_EQ(labels.Drop({"rank", "__name__"}).ToString(), "{job=\"j\"}");
  EXPECT_EQ(LabelSetBuilder(labels).Delete("rank").Set("job", "k").Build().ToString(),
            "m{job=\"k\"}");
}

TEST(LabelSet, NamesOutsideTheOldAlphabetAreQuoted) {
  EXPECT_EQ(LabelSet::Of({{"__name__", "gpu.temp"}, {"host.name", "a\"b"}}).ToString(),
            "{\"gpu.temp\", \"host.name\"=\"a\\\"b\"}");
}

TEST(LabelSet, EveryTruncationOfItsBytesIsRefused) {
  const LabelSet labels = LabelSet::Of({{"__name__", "m"}, {"job", "train"}});
  ASSERT_TRUE(LabelSet::FromBytes(labels.bytes()).ok());
  EXPECT_EQ(*LabelSet::FromBytes(labels.bytes()), labels);
  for (size_t length = 1; length < labels.bytes().size(); ++length) {
    const auto cut = LabelSet::FromBytes(std::string_view(labels.bytes()).substr(0, length));
    // A cut between two labels leaves a valid shorter set.
    if (cut.ok()) {
      EXPECT_EQ(*cut, LabelSet::Of({{"__name__", "m"}}));
    }
  }
}

TEST(LabelSet, SortedLabelsAreTakenAsTheyAre) {
  const std::vector<LabelView> sorted = {{"__name__", "up"}, {"job", std::string_view("a")}};
  EXPECT_EQ(LabelSet::OfSorted(sorted), LabelSet::Of(sorted));
  EXPECT_EQ(LabelSet::OfSorted({}), LabelSet());
}

TEST(LabelSet, BytesAreThoseOfTheFormatPage) {
  const LabelSet labels = LabelSet::Of({{"__name__", "up"}, {"job", "trainer"}, {"rank", "7"}});
  EXPECT_EQ(labels.bytes(), FormatPageExample("labels.md", "up"));
}

TEST(Utf8, RefusesOverlongSurrogatesAndCutSequences) {
  EXPECT_TRUE(IsValidUtf8("gpu µ 日本 🙂"));
  EXPECT_TRUE(IsValidUtf8("more than eight bytes, then µ"));
  EXPECT_FALSE(IsValidUtf8("more than eight bytes, then \xff"));
  EXPECT_FALSE(IsValidUtf8("12345678\xff"));
  EXPECT_FALSE(IsValidUtf8("1234567\xff"));
  EXPECT_FALSE(IsValidUtf8("\xc0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xed\xa0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xf4\x90\x80\x80"));
  EXPECT_FALSE(IsValidUtf8("a\xe6\x97"));
  EXPECT_FALSE(IsValidUtf8("\xff"));
}

}  // namespace
}  // namespace lockstep

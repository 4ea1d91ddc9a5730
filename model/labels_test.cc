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

TEST(LabelSet, WithAgreesWithTheBuilder) {
  const LabelSet labels = LabelSet::Of({{"b", "1"}, {"d", std::string(200, 'x')}, {"f", "3"}});
  for (const LabelSet& base : {labels, LabelSet()}) {
    for (const std::string_view name : {"a", "b", "c", "d", "e", "f", "g"}) {
      for (const std::string& value : {std::string(), std::string("v"), std::string(300, 'y')}) {
        EXPECT_EQ(base.With({name, value}), LabelSetBuilder(base).Set(name, value).Build())
            << name << '=' << value;
      }
    }
  }
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

TEST(LabelSet, LongTextsHaveLongerLengths) {
  // A length of 0x80 takes two bytes.
  for (const size_t size : {127, 128, 200}) {
    const std::string text(size, 'x');
    const std::vector<LabelView> as_value = {{"a", text}, {"b", "1"}};
    EXPECT_EQ(LabelSet::OfSorted(as_value), LabelSet::Of(as_value)) << size;
    EXPECT_EQ(LabelSet::OfSorted(as_value).bytes().size(), size + 7 + (size < 128 ? 0 : 1));
    EXPECT_EQ(LabelSet::OfSorted(as_value).Get("b"), "1");
    const std::vector<LabelView> as_name = {{text, "1"}};
    EXPECT_EQ(LabelSet::OfSorted(as_name), LabelSet::Of(as_name)) << size;
  }
}

TEST(LabelSet, BytesThatAreNotInOrderAreRefused) {
  const auto error = [](std::string_view bytes) {
    return std::string(Message(LabelSet::FromBytes(bytes).status()));
  };
  EXPECT_EQ(error(std::string_view("\1a\1x\1b\1y", 8)), "");
  EXPECT_EQ(error(""), "");
  const std::string refusal = "label set is not sorted, or has an empty value";
  EXPECT_EQ(error(std::string_view("\1b\1x\1a\1y", 8)), refusal);
  EXPECT_EQ(error(std::string_view("\1a\1x\1a\1y", 8)), refusal);
  EXPECT_EQ(error(std::string_view("\1a\0", 3)), refusal);
  EXPECT_EQ(error(std::string_view("\0\1x", 3)), refusal);
  EXPECT_EQ(error(std::string_view("\1a\2x", 4)), "label set is truncated");
}

TEST(LabelSet, GetsOnlyWhatIsThere) {
  const LabelSet labels = LabelSet::Of({{"b", "1"}, {"d", "2"}});
  EXPECT_EQ(labels.Get("b"), "1");
  EXPECT_EQ(labels.Get("d"), "2");
  for (const char* name : {"a", "c", "e", "", "bb"}) EXPECT_EQ(labels.Get(name), "") << name;
  EXPECT_EQ(LabelSet().Get("b"), "");
  EXPECT_TRUE(labels.Has("d"));
  EXPECT_FALSE(labels.Has("c"));
}

TEST(LabelSet, TheNameMayBeAnywhereOrMissing) {
  EXPECT_EQ(LabelSet::Of({{"Z", "1"}, {"__name__", "m"}, {"a", "2"}}).DropMetricName().ToString(),
            "{Z=\"1\", a=\"2\"}");
  EXPECT_EQ(LabelSet::Of({{"__name__", "m"}}).DropMetricName(), LabelSet());
  for (const LabelSet& without : {LabelSet(), LabelSet::Of({{"Z", "1"}}),
                                  LabelSet::Of({{"a", "1"}}), LabelSet::Of({{"__n", "1"}})}) {
    EXPECT_EQ(without.DropMetricName(), without);
  }
}

TEST(LabelSet, IsWrittenAsInAQuery) {
  EXPECT_EQ(LabelSet().ToString(), "{}");
  EXPECT_EQ(LabelSet::Of({{"__name__", "up"}}).ToString(), "up");
  EXPECT_EQ(LabelSet::Of({{"__name__", "a.b"}}).ToString(), "{\"a.b\"}");
  EXPECT_EQ(LabelSet::Of({{"b", "2"}, {"a", "1"}}).ToString(), "{a=\"1\", b=\"2\"}");
  EXPECT_EQ(LabelSet::Of({{"Z", "1"}, {"__name__", "a:b"}}).ToString(), "a:b{Z=\"1\"}");
}

// FNV-1a and a final mix, computed with a few lines of Python.
TEST(LabelSet, AHashStaysTheSameForEver) {
  EXPECT_EQ(LabelSet().Hash(), 0xfdbdf6ac4fc52e7fu);
  EXPECT_EQ(LabelSet::Of({{"a", "b"}}).Hash(), 0x75734cc2dab30057u);
}

TEST(LabelSetBuilder, TheLastValueCounts) {
  LabelSetBuilder builder(LabelSet::Of({{"a", "1"}, {"b", "2"}}));
  builder.Set("a", "3").Set("c", "4").Set("c", "5").Delete("b");
  EXPECT_EQ(builder.Get("a"), "3");
  EXPECT_EQ(builder.Get("b"), "");
  EXPECT_EQ(builder.Get("c"), "5");
  EXPECT_EQ(builder.Get("d"), "");
  EXPECT_EQ(builder.Build().ToString(), "{a=\"3\", c=\"5\"}");
}

TEST(LegacyNames, HaveLettersDigitsAndUnderscores) {
  for (const char* name : {"a", "Z", "_", "a0", "_9", "azAZ09_"}) {
    EXPECT_TRUE(IsLegacyLabelName(name)) << name;
    EXPECT_TRUE(IsLegacyMetricName(name)) << name;
  }
  for (const char* name :
       {"", "0", "9a", "a.b", "a-", "\xc3\xa4", "a b", "@", "[", "`", "{", "/"}) {
    EXPECT_FALSE(IsLegacyLabelName(name)) << name;
    EXPECT_FALSE(IsLegacyMetricName(name)) << name;
  }
  for (const char* name : {":", "a:b", ":0", "a:"}) {
    EXPECT_FALSE(IsLegacyLabelName(name)) << name;
    EXPECT_TRUE(IsLegacyMetricName(name)) << name;
  }
}

// The first and the last code point of each length, and their neighbours that are none: Unicode,
// table 3-7.
TEST(Utf8, EverySequenceHasItsBounds) {
  for (const char* text :
       {"\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xe1\x80\x80", "\xec\xbf\xbf",
        "\xed\x80\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
        "\xf3\xbf\xbf\xbf", "\xf4\x80\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
    EXPECT_TRUE(IsValidUtf8(std::string(text) + "a" + text)) << text;
  }
  for (const char* text :
       {"\x80", "\xbf", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf", "\xe1\x80",
        "\xe1\x80\xc0", "\xe1\x7f\x80", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf1\x80\x80",
        "\xf1\x80\x80\x7f", "\xf1\x80\xc0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xf8\x80\x80\x80"}) {
    EXPECT_FALSE(IsValidUtf8(text));
    EXPECT_FALSE(IsValidUtf8("12345678" + std::string(text)));
  }
  EXPECT_TRUE(IsValidUtf8(""));
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

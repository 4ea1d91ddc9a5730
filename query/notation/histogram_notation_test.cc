#include "query/notation/histogram_notation.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::notation {
namespace {

Histogram Noted(const std::string& text) {
  const auto noted = ParseHistogram(text);
  EXPECT_TRUE(noted.ok()) << text << ": " << noted.status();
  return noted.ok() ? noted->histogram : Histogram();
}

// "INDEX=COUNT" of each bucket of a side.
std::string Buckets(const std::vector<BucketSpan>& spans, const std::vector<double>& counts) {
  std::string text;
  int32_t index = 0;
  size_t next = 0;
  for (const BucketSpan& span : spans) {
    index += span.offset;
    for (uint32_t i = 0; i < span.length; ++i) {
      absl::StrAppendFormat(&text, "%s%d=%g", text.empty() ? "" : " ", index++, counts.at(next++));
    }
  }
  EXPECT_EQ(next, counts.size());
  return text;
}

TEST(HistogramNotation, ReadsEachField) {
  const Histogram h = Noted(
      "{{schema:1 sum:-2.5  count:12 z_bucket:3 z_bucket_w:0.25 buckets:[1 2  4] offset:-3 "
      "n_buckets:[5] n_offset:2 counter_reset_hint:gauge}}");
  EXPECT_EQ(h.schema, 1);
  EXPECT_EQ(h.sum, -2.5);
  EXPECT_EQ(h.count, 12);
  EXPECT_EQ(h.zero_count, 3);
  EXPECT_EQ(h.zero_threshold, 0.25);
  EXPECT_EQ(Buckets(h.positive_spans, h.positive_counts), "-3=1 -2=2 -1=4");
  EXPECT_EQ(Buckets(h.negative_spans, h.negative_counts), "2=5");
  EXPECT_EQ(h.reset_hint, CounterResetHint::kGauge);
  EXPECT_EQ(Noted("{{schema:-53 custom_values:[5 10]}}").custom_values,
            std::vector<double>({5, 10}));
  EXPECT_EQ(Noted("{{counter_reset_hint:reset}}").reset_hint, CounterResetHint::kReset);
  EXPECT_EQ(Noted("{{counter_reset_hint:not_reset}}").reset_hint, CounterResetHint::kNotReset);
  EXPECT_EQ(Noted("{{counter_reset_hint:unknown}}").reset_hint, CounterResetHint::kUnknown);
  EXPECT_TRUE(ParseHistogram("{{counter_reset_hint:unknown}}")->names_hint);
  EXPECT_FALSE(ParseHistogram("{{}}")->names_hint);
}

TEST(HistogramNotation, WhatIsNoneIsRefused) {
  for (const char* text : {"",
                           "{",
                           "{{",
                           "{{}",
                           "{}}",
                           "{}{}",
                           "}}{{",
                           "{{x",
                           "{{count:1",
                           "count:1}}",
                           "x{count:1}}",
                           "{{count:1}x",
                           "{{count:1}} ",
                           "{{count}}",
                           "{{count:x}}",
                           "{{total:1}}",
                           "{{buckets:1}}",
                           "{{buckets:[1}}",
                           "{{buckets:1]}}",
                           "{{buckets:[x]}}",
                           "{{counter_reset_hint:no}}"}) {
    EXPECT_FALSE(ParseHistogram(text).ok()) << text;
  }
}

TEST(HistogramNotation, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"{{x", "invalid histogram: '{{x'"},
      {"{{count}}", "invalid field of a histogram: 'count'"},
      {"{{count:x}}", "invalid number in a histogram: 'x'"},
      {"{{total:1}}", "unknown field of a histogram: 'total'"},
      {"{{buckets:1}}", "invalid list in a histogram: '1'"},
      {"{{buckets:[1 x]}}", "invalid number in a histogram: 'x'"},
      {"{{counter_reset_hint:no}}", "invalid counter reset hint: 'no'"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(Message(ParseHistogram(text).status()), message) << text;
  }
}

TEST(HistogramNotation, SubtractsInTheSameWay) {
  const auto difference = AddScaled(Noted("{{count:5 sum:7 buckets:[4 1]}}"), -1,
                                    Noted("{{count:3 sum:2 buckets:[0 1 2] offset:1}}"));
  ASSERT_TRUE(difference.ok());
  EXPECT_EQ(difference->count, 2);
  EXPECT_EQ(difference->sum, 5);
  EXPECT_EQ(Buckets(difference->positive_spans, difference->positive_counts), "0=4 1=1 2=-1 3=-2");
}

TEST(HistogramNotation, HintsOfSumsAreThoseOfBoth) {
  const auto hint = [](const char* a, const char* b) {
    const std::string text = "{{counter_reset_hint:";
    return AddScaled(Noted(text + a + "}}"), 1, Noted(text + b + "}}"))->reset_hint;
  };
  EXPECT_EQ(hint("reset", "reset"), CounterResetHint::kReset);
  EXPECT_EQ(hint("reset", "not_reset"), CounterResetHint::kUnknown);
  EXPECT_EQ(hint("gauge", "reset"), CounterResetHint::kGauge);
  EXPECT_EQ(hint("not_reset", "gauge"), CounterResetHint::kGauge);
}

// "{{base}}+{{increment}}x2" in a script has base + 2 * increment as its second sample.
TEST(HistogramNotation, AddsInTheSchemaOfTheBase) {
  const auto sum = AddScaled(
      Noted("{{schema:0 count:5 sum:7 z_bucket:1 buckets:[1 2] offset:1 n_buckets:[1]}}"), 2,
      Noted("{{schema:1 count:4 sum:3 z_bucket:2 buckets:[1 1 1 1] offset:1 "
            "n_buckets:[3] n_offset:4 counter_reset_hint:gauge}}"));
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->schema, 0);
  EXPECT_EQ(sum->count, 13);
  EXPECT_EQ(sum->sum, 13);
  EXPECT_EQ(sum->zero_count, 5);
  // Two buckets of a finer schema are one of the next: 1 and 2 are 1, 3 and 4 are 2.
  EXPECT_EQ(Buckets(sum->positive_spans, sum->positive_counts), "1=5 2=6");
  EXPECT_EQ(Buckets(sum->negative_spans, sum->negative_counts), "0=1 2=6");
  EXPECT_EQ(sum->reset_hint, CounterResetHint::kGauge);
  const auto fails = [](const std::string& base, const std::string& increment) {
    return !AddScaled(Noted(base), 1, Noted(increment)).ok();
  };
  EXPECT_FALSE(fails("{{schema:1}}", "{{schema:1}}"));
  EXPECT_TRUE(fails("{{schema:1}}", "{{schema:0}}"));
  EXPECT_TRUE(fails("{{}}", "{{z_bucket_w:1}}"));
  EXPECT_TRUE(fails("{{schema:-53 custom_values:[1]}}", "{{}}"));
  EXPECT_TRUE(fails("{{schema:-53 custom_values:[1]}}", "{{schema:-53 custom_values:[2]}}"));
  EXPECT_FALSE(fails("{{schema:-53 custom_values:[1]}}", "{{schema:-53 custom_values:[1]}}"));
}

}  // namespace
}  // namespace lockstep::notation

#include "ingest/write/refusals.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/write/ingest_stats.h"
#include "model/labels.h"

namespace lockstep {
namespace {

std::string Described(std::vector<LabelView> labels) { return DescribeLabels(labels); }

TEST(DescribeLabelsTest, AsInPromQl) {
  EXPECT_EQ(Described({}), "{}");
  EXPECT_EQ(Described({{"__name__", "up"}, {"job", ""}}), R"({__name__="up", job=""})");
  EXPECT_EQ(Described({{"a", "say \"\\\""}}), R"({a="say \"\\\""})");
  EXPECT_EQ(Described({{"a", "\x1f \x7e\x7f\n"}}), R"({a="\x1f ~\x7f\x0a"})");
  EXPECT_EQ(Described({{"a", "ü"}, {"b", "\x80ü"}}), "{a=\"ü\", b=\"\\x80\\xc3\\xbc\"}");
}

TEST(DescribeLabelsTest, CutAfterSomeHundredBytes) {
  // With the brace, the name and so on, this is 512 bytes.
  const std::string longest(512 - 5, 'x');
  EXPECT_EQ(Described({{"a", longest}}), "{a=\"" + longest + "\"}");
  EXPECT_EQ(Described({{"a", longest + "y"}}), "{a=\"" + longest + "y\"...}");
  const std::string cut = Described({{"a", std::string(2000, 'x')}, {"b", "c"}});
  EXPECT_EQ(cut, "{a=\"" + std::string(512 - 4 + 1, 'x') + "\"...}");
  // Characters stay whole.
  for (const std::string_view before : {"", "x", "xx"}) {
    std::string text(before);
    for (int i = 0; i < 1000; ++i) text += "€";
    const std::string described = Described({{"a", text}});
    EXPECT_TRUE(IsValidUtf8(described));
    EXPECT_LT(described.size(), 530u);
    EXPECT_TRUE(described.ends_with("...}"));
  }
}

TEST(DescribeTextTest, InQuotes) {
  EXPECT_EQ(DescribeText(""), "\"\"");
  EXPECT_EQ(DescribeText("a\"b\t"), "\"a\\\"b\\x09\"");
  EXPECT_EQ(DescribeText(std::string(511, 'x')), "\"" + std::string(511, 'x') + "\"");
  EXPECT_EQ(DescribeText(std::string(512, 'x')), "\"" + std::string(512, 'x') + "...\"");
  EXPECT_EQ(DescribeText(std::string(5000, 'x')), "\"" + std::string(512, 'x') + "...\"");
}

TEST(RefusalsTest, CountsAllAndTellsTheFirst) {
  Refusals refusals;
  EXPECT_TRUE(refusals.empty());
  const std::vector<LabelView> labels = {{"job", "x"}};
  refusals.Add(RejectReason::kStore, 3, labels, "too old");
  EXPECT_FALSE(refusals.empty());
  refusals.AddAt("line 7", RejectReason::kBadLine, 2, "no number");
  EXPECT_EQ(refusals.count(), 2u);
  EXPECT_EQ(refusals.sample_count(), 5u);
  EXPECT_EQ(refusals.samples_by_reason()[static_cast<size_t>(RejectReason::kStore)], 3u);
  EXPECT_EQ(refusals.samples_by_reason()[static_cast<size_t>(RejectReason::kBadLine)], 2u);
  EXPECT_EQ(refusals.ToString(),
            "5 samples were not stored, in 2 cases; the rest of the request was:\n"
            "{job=\"x\"}: too old\nline 7: no number\n");
}

TEST(RefusalsTest, TellsTwentyCases) {
  for (const bool has_place : {false, true}) {
    Refusals refusals;
    std::string told;
    for (size_t i = 0; i < Refusals::kMaxTold; ++i) {
      if (has_place) {
        refusals.AddAt("here", RejectReason::kStore, 1, "no");
      } else {
        refusals.Add(RejectReason::kStore, 1, {}, "no");
      }
      told += has_place ? "here: no\n" : "{}: no\n";
    }
    EXPECT_EQ(refusals.ToString(),
              "20 samples were not stored, in 20 cases; the rest of the request was:\n" + told);
    refusals.Add(RejectReason::kStore, 1, {}, "no");
    refusals.AddAt("here", RejectReason::kStore, 1, "no");
    EXPECT_EQ(refusals.ToString(),
              "22 samples were not stored, in 22 cases; the rest of the request was:\n" + told +
                  "... and 2 more\n");
  }
}

TEST(RefusalsTest, MergesOthersBehindItsOwn) {
  Refusals refusals, others;
  refusals.AddAt("first", RejectReason::kStore, 1, "no");
  for (size_t i = 0; i < 3; ++i) others.AddAt("other", RejectReason::kBadLine, 2, "no");
  refusals.Merge(others);
  EXPECT_EQ(refusals.samples_by_reason()[static_cast<size_t>(RejectReason::kStore)], 1u);
  EXPECT_EQ(refusals.samples_by_reason()[static_cast<size_t>(RejectReason::kBadLine)], 6u);
  EXPECT_EQ(refusals.ToString(),
            "7 samples were not stored, in 4 cases; the rest of the request was:\n"
            "first: no\nother: no\nother: no\nother: no\n");
  for (size_t i = 0; i < 6; ++i) refusals.Merge(others);
  const std::string told = refusals.ToString();
  EXPECT_TRUE(told.ends_with("other: no\n... and 2 more\n")) << told;
}

TEST(RejectReasonTest, EachHasAName) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kRejectReasonCount; ++i) {
    const std::string_view name = Name(static_cast<RejectReason>(i));
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), name.npos) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), kRejectReasonCount);
  EXPECT_EQ(Name(RejectReason::kNoMetricName), "no_metric_name");
  EXPECT_EQ(Name(RejectReason::kJobRate), "job_rate");
}

TEST(IngestStatsTest, AddsUpEachCount) {
  IngestStats one;
  uint64_t next = 0;
  for (uint64_t* count :
       {&one.requests, &one.undecodable_requests, &one.oversized_requests, &one.throttled_requests,
        &one.body_bytes, &one.decoded_bytes, &one.series, &one.samples, &one.histograms,
        &one.exemplars, &one.rejected_exemplars, &one.metadata_entries, &one.text_values}) {
    *count = ++next;
  }
  for (uint64_t& count : one.rejected_samples) count = ++next;
  IngestStats sum = one;
  sum += one;
  uint64_t expected = 0;
  for (const uint64_t count :
       {sum.requests, sum.undecodable_requests, sum.oversized_requests, sum.throttled_requests,
        sum.body_bytes, sum.decoded_bytes, sum.series, sum.samples, sum.histograms, sum.exemplars,
        sum.rejected_exemplars, sum.metadata_entries, sum.text_values}) {
    EXPECT_EQ(count, 2 * ++expected);
  }
  for (const uint64_t count : sum.rejected_samples) EXPECT_EQ(count, 2 * ++expected);
}

}  // namespace
}  // namespace lockstep

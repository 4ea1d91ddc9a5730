// Retention by rules: samples beyond a rule's time are hidden to the millisecond, refused, and
// dropped window by window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/db/check/store_check.h"
#include "storage/db/retention/retention_rules.h"
#include "storage/db/rows/window.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kDay = 24 * kHourMs;
// The start of a window.
constexpr int64_t kWindowBegin = kTestNowMs / kWindowMs * kWindowMs;

RetentionRule Rule(const std::string& job, const std::string& metric, int64_t keep_ms) {
  RetentionRule rule;
  rule.job = *Matcher::Make(MatchType::kRegex, "job", job);
  rule.metric = *Matcher::Make(MatchType::kRegex, std::string(kMetricName), metric);
  rule.keep_ms = keep_ms;
  return rule;
}

TEST(RetentionRules, RefusesWhatCannotBe) {
  EXPECT_TRUE(RetentionRules::Make({Rule("a", "b", kDay)}, kDay).ok());
  EXPECT_FALSE(RetentionRules::Make({Rule("a", "b", kDay + 1)}, kDay).ok());
  EXPECT_FALSE(RetentionRules::Make({Rule("a", "b", 0)}, kDay).ok());
  EXPECT_FALSE(
      RetentionRules::Make(std::vector<RetentionRule>(kMaxRetentionRules + 1, Rule("a", "b", 1)), 1)
          .ok());
  EXPECT_EQ(RetentionRules(kDay).ShortestKeepMs(), kDay);
}

class StoreRules : public ::testing::TestWithParam<uint32_t> {
 protected:
  StoreRules() {
    options_.shard_count = GetParam();
    options_.now_ms = [this] { return now_ms_.load(); };
    options_.monotonic_ms = [this] { return highest_ms_.load(); };
    options_.retention_rules = {Rule("dev", "DCGM_.*", kDay), Rule("dev|test", ".*", 2 * kDay)};
    store_ = MustOpen(options_);
  }

  // For three days before kWindowBegin, every four hours, in the middle of the windows.
  void WriteAll() {
    for (size_t i = 0; i < kSeriesCount; ++i) {
      for (const char* job : {"dev", "test", "prod"}) {
        for (const char* metric : {"DCGM_A", "up"}) {
          std::vector<Sample> samples;
          const int64_t keep_ms = KeepOf(job, metric);
          for (int64_t time_ms = kWindowBegin - 3 * kDay + 2 * kHourMs; time_ms < kWindowBegin;
               time_ms += 4 * kHourMs) {
            if (time_ms >= now_ms_ - keep_ms) samples.push_back({time_ms, 1.0});
          }
          const auto outcome =
              WriteFloats(*store_, Series(metric, job, static_cast<int>(i)), samples);
          ASSERT_TRUE(outcome.ok()) << outcome.status();
          EXPECT_EQ(outcome->rejected_count, 0u);
        }
      }
    }
  }
  static int64_t KeepOf(const std::string& job, const std::string& metric) {
    if (job == "prod") return 15 * kDay;
    return job == "dev" && metric == "DCGM_A" ? kDay : 2 * kDay;
  }
  // The number of samples that a query finds.
  size_t CountOf(const std::string& job, const std::string& metric) {
    const std::string text =
        Dump(*store_, {INT64_MIN, INT64_MAX},
             {Matcher::Equal("job", job), Matcher::Equal(std::string(kMetricName), metric)});
    size_t count = 0;
    for (size_t at = 0; (at = text.find(" 1", at)) != std::string::npos; ++at) ++count;
    return count;
  }
  void ExpectCounts(size_t dev_dcgm, size_t two_days, size_t prod) {
    EXPECT_EQ(CountOf("dev", "DCGM_A"), kSeriesCount * dev_dcgm);
    EXPECT_EQ(CountOf("dev", "up"), kSeriesCount * two_days);
    EXPECT_EQ(CountOf("test", "DCGM_A"), kSeriesCount * two_days);
    EXPECT_EQ(CountOf("prod", "DCGM_A"), kSeriesCount * prod);
  }
  void Reopen() {
    ASSERT_TRUE(store_->Close().ok());
    store_ = nullptr;
    store_ = MustOpen(options_);
  }
  std::vector<std::string> Values(const std::string& label, std::vector<Matcher> matchers = {}) {
    const auto querier = store_->NewQuerier();
    return *(*querier)->LabelValues(label, {matchers, {INT64_MIN, INT64_MAX}, nullptr});
  }

  // Sets both clocks; a monotonic one does not go back.
  void SetTime(int64_t now_ms) {
    highest_ms_ = std::max(highest_ms_.load(), now_ms);
    now_ms_ = now_ms;
  }

  static constexpr size_t kSeriesCount = 3;

  TestFolder folder_;
  std::atomic<int64_t> now_ms_ = kWindowBegin;
  std::atomic<int64_t> highest_ms_ = kWindowBegin;
  StoreOptions options_ = TestOptions(folder_);
  std::unique_ptr<Store> store_;
};

TEST_P(StoreRules, WhatIsOlderIsHiddenWhereverItIs) {
  WriteAll();
  for (const bool is_cold : {false, true}) {
    SetTime(kWindowBegin);
    ExpectCounts(6, 12, 18);
    SetTime(kWindowBegin + 2 * kHourMs);  // a sample at kWindowBegin - 1 d + 2 h is still kept
    ExpectCounts(6, 12, 18);
    SetTime(kWindowBegin + 2 * kHourMs + 1);
    ExpectCounts(5, 11, 18);
    if (!is_cold) {
      SetTime(kWindowBegin);
      ASSERT_TRUE(store_->Settle().ok());
    }
  }
}

TEST_P(StoreRules, SeriesOfWhichAllIsHiddenAreNotSelected) {
  WriteAll();
  const auto querier = store_->NewQuerier();
  const std::vector<Matcher> dev = {Matcher::Equal("job", "dev")};
  const TimeRange old = {kWindowBegin - 3 * kDay, kWindowBegin - kDay - kHourMs};
  const auto set = (*querier)->Select({dev, old, nullptr});
  std::vector<std::string> names;
  while ((*set)->Next()) names.emplace_back((*set)->labels().metric_name());
  EXPECT_THAT(names, SizeIs(kSeriesCount));
  EXPECT_THAT(names, ::testing::Each("up"));
}

TEST_P(StoreRules, OlderSamplesAreRefusedAndTheReasonNamesWhatIsKept) {
  const LabelSet dev = Series("DCGM_A", "dev"), prod = Series("DCGM_A", "prod");
  for (const bool is_known : {false, true}) {
    for (const auto& [labels, keep_ms, text] :
         {std::tuple(dev, kDay, "older than the retention of 1d"),
          std::tuple(prod, 15 * kDay, "older than the retention of 15d")}) {
      WriteRequest request;
      const int64_t oldest_ms = now_ms_ - keep_ms;
      const int64_t offset_ms = is_known ? 1 : 0;
      request.series.push_back(
          {labels,
           {{oldest_ms - 1, 1}, {oldest_ms + offset_ms, 1}, {kWindowBegin + offset_ms, 1}},
           {}});
      if (is_known) request = WithKnownSeries(*store_, std::move(request));
      EXPECT_EQ(request.known.size(), is_known ? 3u : 0u);
      const auto outcome = WriteAndWait(*store_, std::move(request));
      ASSERT_TRUE(outcome.ok());
      EXPECT_EQ(outcome->written_count, 2u);
      ASSERT_EQ(outcome->rejected_count, 1u);
      EXPECT_THAT(outcome->rejected[0].reason, HasSubstr(text));
    }
  }
}

TEST_P(StoreRules, WindowsThatEndedAreDropped) {
  WriteAll();
  ASSERT_TRUE(store_->Seal().ok());
  SetTime(kWindowBegin + 8 * kHourMs);
  ASSERT_TRUE(store_->DropExpired().ok());
  EXPECT_EQ(store_->stats().expired_samples, kSeriesCount * 2 * (1 + 3));
  options_.retention_rules.clear();  // so that nothing is hidden
  Reopen();
  ExpectCounts(4, 10, 18);
}

TEST_P(StoreRules, AWindowGoesToItsLastMillisecondAndTheNextStaysFromItsFirst) {
  SetTime(kWindowBegin - 1);
  const std::vector<Sample> samples = {{kWindowBegin - kDay - 1, 1}, {kWindowBegin - kDay, 1}};
  ASSERT_TRUE(WriteFloats(*store_, Series("DCGM_A", "dev"), samples).ok());
  ASSERT_TRUE(store_->Seal().ok());
  SetTime(kWindowBegin + 2 * kHourMs);
  ASSERT_TRUE(store_->DropExpired().ok());
  options_.retention_rules.clear();  // so that nothing is hidden
  Reopen();
  EXPECT_EQ(CountOf("dev", "DCGM_A"), 1u);
  EXPECT_THAT(Dump(*store_), HasSubstr(" " + std::to_string(kWindowBegin - kDay) + "="));
}

TEST_P(StoreRules, SeriesWithoutSamplesAreForgotten) {
  WriteAll();
  ASSERT_TRUE(store_->Seal().ok());
  SetTime(kWindowBegin + kDay);
  ASSERT_TRUE(store_->DropExpired().ok());
  EXPECT_THAT(Values(std::string(kMetricName), {Matcher::Equal("job", "dev")}), ElementsAre("up"));
  SetTime(kWindowBegin + 2 * kDay);
  ASSERT_TRUE(store_->DropExpired().ok());
  EXPECT_THAT(Values("job"), ElementsAre("prod"));
  Reopen();
  EXPECT_THAT(Values("job"), ElementsAre("prod"));
  EXPECT_EQ(store_->stats().series_count, 2 * kSeriesCount);
  ExpectCounts(0, 0, 18);
}

TEST_P(StoreRules, OtherRulesCountFromTheNextStart) {
  WriteAll();
  options_.retention_rules = {Rule("prod", ".*", kDay)};
  Reopen();
  EXPECT_EQ(CountOf("prod", "DCGM_A"), kSeriesCount * 6);
  EXPECT_EQ(CountOf("dev", "up"), kSeriesCount * 12);
  ASSERT_TRUE(store_->DropExpired().ok());
  options_.retention_rules.clear();
  Reopen();
  EXPECT_EQ(CountOf("prod", "DCGM_A"), kSeriesCount * 6);
  EXPECT_EQ(CountOf("dev", "up"), kSeriesCount * 12);
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  std::vector<std::string> damage;
  const auto report = CheckStore(
      options_.data_dir, options_.env,
      {.on_damage = [&](const std::string& where,
                        const std::string& what) { damage.push_back(where + ": " + what); },
       .on_progress = [](const std::string&) {}});
  EXPECT_TRUE(report.ok());
  EXPECT_THAT(damage, IsEmpty());
}

TEST_P(StoreRules, AStoreThatOnlyReadsHidesNothing) {
  WriteAll();
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  SetTime(kWindowBegin + 20 * kDay);
  options_.read_only = true;
  store_ = MustOpen(options_);
  ExpectCounts(6, 12, 18);
}

INSTANTIATE_TEST_SUITE_P(Shards, StoreRules, ::testing::Values(1, 2, 7));

}  // namespace
}  // namespace lockstep

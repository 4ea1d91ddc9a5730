#include "answers/derived/reported_mfu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "absl/strings/str_format.h"
#include "answers/derived/derived_storage.h"
#include "answers/derived/scaled_series_set.h"
#include "base/check.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kFirstStepMs = 1'700'000'000'000;
constexpr double kH200Flops = 989.4e12;  // dense bf16, NVIDIA's data sheet

using Samples = std::vector<std::pair<int64_t, double>>;

// Ranks that do one step per second, at 100, 101... teraflops.
class ReportedMfu : public testing::Test {
 protected:
  void AddJob(const char* job, size_t ranks, size_t steps, const char* name, double unit) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      const std::string number = absl::StrFormat("%d", rank);
      const std::string gpu = absl::StrFormat("%d", rank % 8);
      storage_.Append(LabelSet::Of({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"},
                                    {"job", job},
                                    {"rank", number},
                                    {"gpu", gpu},
                                    {"Hostname", "node"},
                                    {"modelName", "NVIDIA H200"}}),
                      kFirstStepMs, 700);
      for (size_t step = 0; step < steps; ++step) {
        const auto end_ms = kFirstStepMs + static_cast<int64_t>(1000 * step);
        const auto add = [&](const char* metric, double value) {
          storage_.Append(LabelSet::Of({{kMetricName, metric}, {"job", job}, {"rank", number}}),
                          end_ms, value);
        };
        add("train_step", static_cast<double>(step));
        add("train_step_time_seconds", 1);
        add(name, (100 + static_cast<double>(rank)) * unit);
      }
    }
  }

  std::unique_ptr<SeriesSet> Select(std::vector<Matcher> matchers,
                                    TimeRange range = {kFirstStepMs, kFirstStepMs + 3'600'000},
                                    QueryBudget* budget = nullptr) {
    matchers.push_back(Matcher::Equal(std::string(kMetricName), "lockstep_mfu"));
    matchers_ = std::move(matchers);
    querier_ = *derived_.NewQuerier();
    auto set = querier_->Select({matchers_, range, budget});
    LOCKSTEP_CHECK(set.ok());
    return *std::move(set);
  }

  // By position.
  static std::vector<std::pair<std::string, Samples>> Read(SeriesSet& whole, size_t parts) {
    std::vector<std::pair<std::string, Samples>> read(whole.size());
    const auto read_all = [&read](SeriesSet& set) {
      SampleColumns columns;
      while (set.Next()) {
        columns.Clear();
        EXPECT_TRUE(set.Read(columns).ok());
        auto& [labels, samples] = read.at(set.position());
        labels = absl::StrFormat("%s/%s/%s", set.labels().Get("job"), set.labels().Get("gpu"),
                                 set.labels().Get("rank"));
        for (size_t i = 0; i < columns.values.size(); ++i) {
          samples.emplace_back(columns.timestamps_ms[i], columns.values[i]);
        }
      }
      EXPECT_TRUE(set.status().ok());
    };
    if (parts == 1) read_all(whole);
    if (parts > 1) {
      for (const auto& part : whole.Split(parts)) read_all(*part);
    }
    return read;
  }

  MemoryStorage storage_;
  DerivedStorage derived_{storage_, 2};
  std::vector<Matcher> matchers_;
  std::unique_ptr<Querier> querier_;
};

TEST_F(ReportedMfu, IsAShareOfTheGpusPeak) {
  AddJob("a", 2, 10, "train_tflops_per_gpu", 1);
  const auto set = Select({});
  const auto read = Read(*set, 1);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].first, "a/1/1");
  ASSERT_EQ(read[1].second.size(), 11u);  // including the end marker
  EXPECT_EQ(read[1].second[3].first, kFirstStepMs + 3000);
  EXPECT_DOUBLE_EQ(read[1].second[3].second, 101e12 / kH200Flops);
  EXPECT_TRUE(IsStaleNan(read[1].second[10].second));
}

TEST_F(ReportedMfu, IsThatOfOperationsPerStep) {
  AddJob("rate", 3, 10, "train_tflops_per_gpu", 1);
  AddJob("operations", 3, 10, "train_model_flops", 1e12);
  const auto rate = Read(*Select({Matcher::Equal("job", "rate")}), 1);
  const auto loaded = Read(*Select({Matcher::Equal("job", "operations")}), 1);
  ASSERT_EQ(rate.size(), loaded.size());
  for (size_t row = 0; row < rate.size(); ++row) {
    ASSERT_EQ(rate[row].second.size(), loaded[row].second.size());
    for (size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(rate[row].second[i].first, loaded[row].second[i].first);
      EXPECT_DOUBLE_EQ(rate[row].second[i].second, loaded[row].second[i].second);
    }
  }
  // Both at once requires loading both.
  EXPECT_EQ(Read(*Select({}), 1).size(), 6u);
}

TEST_F(ReportedMfu, PartsAreTheWholeInTheOrderOfItsOwnLabels) {
  AddJob("a", 20, 3, "train_tflops_per_gpu", 1);
  const auto whole = Read(*Select({}), 1);
  ASSERT_EQ(whole.size(), 20u);
  EXPECT_EQ(whole[1].first, "a/0/16");  // "gpu" comes before "rank"
  const auto parts = Read(*Select({}), 4);
  ASSERT_EQ(parts.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(parts[i].first, whole[i].first);
    // Their end markers are NaN.
    EXPECT_TRUE(std::ranges::equal(parts[i].second | std::views::take(3),
                                   whole[i].second | std::views::take(3)));
  }
}

TEST_F(ReportedMfu, JobsThatReportNothingOfItAreNotRead) {
  AddJob("quiet", 4, 5000, "train_loss", 1);
  AddJob("operations", 2, 10, "train_model_flops", 1e12);
  QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
  const auto set = Select({}, {kFirstStepMs, kFirstStepMs + 3'600'000}, &budget);
  EXPECT_EQ(Read(*set, 1).size(), 2u);
}

TEST_F(ReportedMfu, MatchersAreOfItsOwnLabels) {
  AddJob("a", 10, 3, "train_tflops_per_gpu", 1);
  AddJob("b", 10, 3, "train_tflops_per_gpu", 1);
  EXPECT_EQ(Read(*Select({Matcher::Equal("rank", "7")}), 1).size(), 2u);
  EXPECT_EQ(Read(*Select({Matcher::Equal("gpu", "0")}), 1).size(), 4u);
  EXPECT_EQ(Read(*Select({Matcher::Equal("job", "b"), Matcher::Equal("gpu", "1")}), 1)[1].first,
            "b/1/9");
  EXPECT_EQ(Read(*Select({Matcher::Equal("dtype", "fp8")}), 1).size(), 0u);
  EXPECT_EQ(Read(*Select({Matcher::Equal("job", "c")}), 1).size(), 0u);
}

TEST_F(ReportedMfu, ARankThatReportsTwiceHasOne) {
  AddJob("a", 2, 10, "train_tflops_per_gpu", 1);
  storage_.Append(
      LabelSet::Of(
          {{kMetricName, "train_tflops_per_gpu"}, {"job", "a"}, {"rank", "0"}, {"attempt", "1"}}),
      kFirstStepMs + 1000, 100);
  EXPECT_EQ(Read(*Select({}), 1).size(), 2u);
}

TEST_F(ReportedMfu, WhatIsNoNumberIsLeftOut) {
  AddJob("a", 1, 10, "train_tflops_per_gpu", 1);
  storage_.Append(
      LabelSet::Of({{kMetricName, "train_tflops_per_gpu"}, {"job", "a"}, {"rank", "0"}}),
      kFirstStepMs + 2000, std::nan(""));
  const auto read = Read(*Select({}), 1);
  ASSERT_EQ(read[0].second.size(), 10u);
  EXPECT_EQ(read[0].second[2].first, kFirstStepMs + 3000);
}

// Seconds after kFirstStepMs; "-" is a marker.
std::string Marked(std::vector<int> times_s, int max_s) {
  SampleColumns samples;
  for (const int at : times_s) samples.Append(kFirstStepMs + at * 1000, at);
  MarkEnds(kFirstStepMs + max_s * 1000, samples);
  std::string text;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    const auto at = static_cast<int>((samples.timestamps_ms[i] - kFirstStepMs) / 1000);
    absl::StrAppendFormat(&text, "%s%d ", IsStaleNan(samples.values[i]) ? "-" : "", at);
  }
  return text;
}

TEST(MarkEnds, WhereNothingFollows) {
  EXPECT_EQ(Marked({1, 2, 3}, 1000), "1 2 3 -73 ");
  EXPECT_EQ(Marked({1, 2, 3}, 73), "1 2 3 -73 ");
  EXPECT_EQ(Marked({1, 2, 3}, 72), "1 2 3 ");  // it may continue
  EXPECT_EQ(Marked({1, 2, 72, 73}, 1000), "1 2 72 73 -143 ");
  EXPECT_EQ(Marked({1, 2, 73, 74}, 1000), "1 2 -72 73 74 -144 ");
  EXPECT_EQ(Marked({0, 100, 200}, 10000), "0 100 200 -1260 ");
  EXPECT_EQ(Marked({5}, 1000), "5 ");
  EXPECT_EQ(Marked({}, 1000), "");
}

}  // namespace
}  // namespace lockstep::answers

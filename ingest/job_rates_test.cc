#include "ingest/job_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "ingest/rate_limit.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

class JobRatesTest : public testing::Test {
 protected:
  static void Add(DecodedWrite& write, const std::string& job, int sample_count) {
    SeriesWrite series;
    series.labels = LabelSet::Of({{kMetricName, "m"}, {"job", job}});
    for (int i = 0; i < sample_count; ++i) series.samples.push_back({i, 1});
    write.request.series.push_back(std::move(series));
  }
  absl::Status AdmitOne(const std::string& job, int sample_count) {
    DecodedWrite write;
    Add(write, job, sample_count);
    return rates_.Admit(write);
  }
  void Pass(std::chrono::milliseconds time) { now_ += time; }

  JobRates::Clock::time_point now_{};
  JobRates rates_{100, [this] { return now_; }};
};

TEST_F(JobRatesTest, AJobIsHeldToItsRateAndOthersAreNot) {
  EXPECT_TRUE(AdmitOne("noisy", 250).ok());
  const absl::Status refused = AdmitOne("noisy", 1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(Message(refused)),
              HasSubstr("the job \"noisy\" exceeds its limit of 100 samples per second "
                        "(ingest.max-samples-per-second-per-job)"));
  EXPECT_EQ(RetryAfter(refused), std::chrono::seconds(2));
  EXPECT_TRUE(AdmitOne("quiet", 10).ok());
  Pass(std::chrono::milliseconds(1600));
  EXPECT_TRUE(AdmitOne("noisy", 1).ok());
}

TEST_F(JobRatesTest, OfARequestOnlyWhatIsOverIsRefused) {
  EXPECT_TRUE(AdmitOne("noisy", 200).ok());
  DecodedWrite write;
  Add(write, "quiet", 3);
  Add(write, "noisy", 5);
  Add(write, "quiet", 4);
  ASSERT_TRUE(rates_.Admit(write).ok());
  ASSERT_EQ(write.request.series.size(), 2u);
  EXPECT_EQ(write.request.series[1].samples.size(), 4u);
  EXPECT_EQ(write.refusals.samples_by_reason()[static_cast<size_t>(RejectReason::kJobRate)], 5u);
  EXPECT_THAT(write.refusals.ToString(), HasSubstr("the job \"noisy\" exceeds its limit of 100"));
}

TEST_F(JobRatesTest, ManyJobsTakeBoundedMemory) {
  for (size_t i = 0; i < JobRates::kMaxJobs; ++i) {
    ASSERT_TRUE(AdmitOne(absl::StrFormat("job%d", i), 1).ok());
  }
  EXPECT_TRUE(AdmitOne("one more", 150).ok());
  EXPECT_FALSE(AdmitOne("another", 1).ok());
  Pass(std::chrono::seconds(1));
  EXPECT_TRUE(AdmitOne("another", 1).ok());
}

TEST_F(JobRatesTest, TheRateMayChange) {
  EXPECT_TRUE(AdmitOne("noisy", 250).ok());
  rates_.SetRate(0);
  EXPECT_TRUE(AdmitOne("noisy", 1).ok());
  rates_.SetRate(1000);
  Pass(std::chrono::milliseconds(200));
  EXPECT_TRUE(AdmitOne("noisy", 1).ok());
}

TEST_F(JobRatesTest, HistogramsAreSamplesToo) {
  DecodedWrite write;
  SeriesWrite series;
  series.labels = LabelSet::Of({{kMetricName, "m"}, {"job", "noisy"}});
  series.histograms.resize(150);
  write.request.series.push_back(series);
  EXPECT_TRUE(rates_.Admit(write).ok());
  EXPECT_FALSE(AdmitOne("noisy", 1).ok());
}

TEST_F(JobRatesTest, TheLongestWaitIsTold) {
  EXPECT_TRUE(AdmitOne("a", 250).ok());
  EXPECT_TRUE(AdmitOne("b", 550).ok());
  EXPECT_TRUE(AdmitOne("c", 100).ok());
  DecodedWrite write;
  for (const char* job : {"a", "b", "c"}) Add(write, job, 1);
  const absl::Status refused = rates_.Admit(write);
  EXPECT_EQ(RetryAfter(refused), std::chrono::seconds(5));
  EXPECT_THAT(std::string(Message(refused)), HasSubstr("the job \"b\""));
  EXPECT_EQ(RetryAfter(AdmitOne("c", 1)), std::chrono::seconds(1));
}

TEST_F(JobRatesTest, ExemplarsOfRefusedSeriesGoToo) {
  EXPECT_TRUE(AdmitOne("noisy", 200).ok());
  DecodedWrite write;
  for (const char* job : {"noisy", "quiet"}) {
    Add(write, job, 1);
    write.exemplars.push_back({write.request.series.back().labels, {{{}, 1, 1}}});
  }
  ASSERT_TRUE(rates_.Admit(write).ok());
  ASSERT_EQ(write.exemplars.size(), 1u);
  EXPECT_EQ(write.exemplars[0].series.Get("job"), "quiet");
}

TEST_F(JobRatesTest, AClockThatGoesBackFillsNothing) {
  EXPECT_TRUE(AdmitOne("noisy", 200).ok());
  Pass(std::chrono::seconds(-60));
  EXPECT_FALSE(AdmitOne("noisy", 1).ok());
  Pass(std::chrono::seconds(60));
  EXPECT_FALSE(AdmitOne("noisy", 1).ok());
}

TEST_F(JobRatesTest, WithoutSeriesThereIsNothingToRefuse) {
  DecodedWrite write;
  EXPECT_TRUE(rates_.Admit(write).ok());
  EXPECT_TRUE(rates_.is_limited());
  rates_.SetRate(0);
  EXPECT_FALSE(rates_.is_limited());
}

}  // namespace
}  // namespace lockstep

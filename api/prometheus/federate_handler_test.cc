#include "api/prometheus/federate_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/histogram.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

constexpr int64_t kFederatedAtMs = 1'000'000;
constexpr int64_t kLookbackMs = 300'000;

class FederateTest : public testing::Test {
 protected:
  void Append(const LabelSet& labels, int64_t time_ms, double value) {
    storage_.Append(labels, time_ms, value);
  }
  // A histogram with this sum.
  void AppendHistogram(const LabelSet& labels, int64_t time_ms, double sum) {
    auto histogram = std::make_shared<Histogram>();
    histogram->sum = sum;
    histogram->count = 1;
    storage_.Append(labels, time_ms, std::move(histogram));
  }

  Response Federate(const std::string& parameters, int64_t max_samples = 1000) {
    Request request;
    request.method = "GET";
    request.target = "/federate?" + parameters;
    QueryBudget budget(max_samples, QueryBudget::Clock::time_point::max());
    Call call{Form::Of(request)};
    return HandleFederate(call, {storage_, kFederatedAtMs, kLookbackMs, progress_}, budget);
  }

  MemoryStorage storage_;
  engine::QueryProgress progress_;
};

LabelSet Named(std::string_view name, std::string_view job = "j") {
  return LabelSet::Of({{"__name__", name}, {"job", job}});
}

TEST_F(FederateTest, TheNewestSampleOfEachSeriesIsGiven) {
  Append(Named("up"), kFederatedAtMs - 2000, 1);
  Append(Named("up"), kFederatedAtMs - 1000, 2);
  Append(Named("up"), kFederatedAtMs + 1, 3);
  EXPECT_EQ(Federate("match[]=up").body,
            "# TYPE up untyped\nup{job=\"j\",instance=\"\"} 2 999000\n");
  EXPECT_EQ(progress_.samples_read, 2);
}

TEST_F(FederateTest, WhatIsOlderThanTheLookbackIsLeftOut) {
  Append(Named("at"), kFederatedAtMs - kLookbackMs, 1);
  Append(Named("before"), kFederatedAtMs - kLookbackMs - 1, 1);
  Append(Named("now"), kFederatedAtMs, 1);
  EXPECT_EQ(Federate("match[]={job=\"j\"}").body,
            "# TYPE at untyped\nat{job=\"j\",instance=\"\"} 1 700000\n"
            "# TYPE now untyped\nnow{job=\"j\",instance=\"\"} 1 1000000\n");
}

TEST_F(FederateTest, SeriesThatEndedAreLeftOut) {
  Append(Named("ended"), 900'000, 1);
  Append(Named("ended"), 910'000, StaleNan());
  Append(Named("back"), 900'000, StaleNan());
  Append(Named("back"), 910'000, 5);
  AppendHistogram(Named("gone"), 900'000, 1);
  AppendHistogram(Named("gone"), 910'000, StaleNan());
  EXPECT_EQ(Federate("match[]={job=\"j\"}").body,
            "# TYPE back untyped\nback{job=\"j\",instance=\"\"} 5 910000\n");
}

// As in Prometheus, the text has no native histograms; what counts is which sample is the newest.
TEST_F(FederateTest, AFloatCountsOnlyIfNoHistogramIsNewer) {
  Append(Named("float_last"), 910'000, 7);
  AppendHistogram(Named("float_last"), 900'000, 1);
  Append(Named("histogram_last"), 900'000, 7);
  AppendHistogram(Named("histogram_last"), 910'000, 1);
  const std::string body = Federate("match[]={job=\"j\"}").body;
  EXPECT_THAT(body, testing::HasSubstr("float_last{job=\"j\",instance=\"\"} 7 910000\n"));
  EXPECT_THAT(body, testing::Not(testing::HasSubstr("} 7 900000")));
}

TEST_F(FederateTest, NamesAreSortedBeforeLabelsAndEachSeriesComesOnce) {
  Append(LabelSet::Of({{"__name__", "b"}, {"A", "1"}}), 900'000, 1);
  Append(LabelSet::Of({{"__name__", "a"}, {"x", "2"}}), 900'000, 2);
  Append(LabelSet::Of({{"__name__", "a"}, {"x", "1"}}), 900'000, 3);
  EXPECT_EQ(
      Federate("match[]=b&match[]={__name__=~\"a|b\"}").body,
      "# TYPE a untyped\na{x=\"1\",instance=\"\"} 3 900000\na{x=\"2\",instance=\"\"} 2 900000\n"
      "# TYPE b untyped\nb{A=\"1\",instance=\"\"} 1 900000\n");
}

TEST_F(FederateTest, WhatHasNoNameIsLeftOut) {
  Append(LabelSet::Of({{"job", "j"}}), 900'000, 1);
  EXPECT_EQ(Federate("match[]={job=\"j\"}").body, "");
  Append(Named("up"), 900'000, 1);
  EXPECT_EQ(Federate("match[]={job=\"j\"}").body,
            "# TYPE up untyped\nup{job=\"j\",instance=\"\"} 1 900000\n");
}

TEST_F(FederateTest, AnEmptySelectorSelectsNothing) {
  Append(Named("up"), 900'000, 1);
  const Response response = Federate("match[]={}");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
}

// A series costs 64 samples of the budget.
TEST_F(FederateTest, SeriesAreTakenFromTheBudget) {
  Append(Named("up", "a"), 900'000, 1);
  Append(Named("up", "b"), 900'000, 1);
  EXPECT_EQ(Federate("match[]=up", 128).status, 200);
  const Response refused = Federate("match[]=up", 127);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.content_type, testing::StartsWith("text/plain"));
}

}  // namespace
}  // namespace lockstep::api

#include "api/query/reduce_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::api {
namespace {

using engine::Reduction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kHourMs = 3600 * kSecondMs;

absl::StatusOr<ReduceParams> Parse(const std::string& parameters, int64_t range_ms = kHourMs,
                                   int64_t step_ms = 60 * kSecondMs) {
  Request request;
  request.method = "GET";
  request.target = "/api/v1/query_range?" + parameters;
  return ReduceParamsOf(Form::Of(request), range_ms, step_ms);
}

TEST(ReduceParamsTest, Names) {
  EXPECT_THAT(Parse("")->reductions, IsEmpty());
  EXPECT_THAT(Parse("reduce=min")->reductions, ElementsAre(Reduction::kMin));
  EXPECT_THAT(Parse("reduce=last,min,max,count,last,first,sum,avg")->reductions,
              ElementsAre(Reduction::kLast, Reduction::kMin, Reduction::kMax, Reduction::kCount,
                          Reduction::kFirst, Reduction::kSum, Reduction::kAvg));
  for (const char* wrong : {"median", "MIN", "min,,max", "min max", ","}) {
    const auto params = Parse("reduce=" + std::string(wrong));
    EXPECT_THAT(std::string(Message(params.status())),
                HasSubstr("is none of min, max, first, last, sum, avg, count"))
        << wrong;
  }
}

TEST(ReduceParamsTest, Resolution) {
  const auto resolution = [](const std::string& more, int64_t range_ms, int64_t step_ms) {
    const auto params = Parse("reduce=max" + more, range_ms, step_ms);
    return params.ok() ? params->resolution_ms : -1;
  };
  // Ten evaluations per bin, a second or more apart, at most 11,000 altogether.
  EXPECT_EQ(resolution("", kHourMs, 60 * kSecondMs), 6 * kSecondMs);
  EXPECT_EQ(resolution("", kHourMs, 61 * kSecondMs), 7 * kSecondMs);
  EXPECT_EQ(resolution("", kHourMs, 5 * kSecondMs), kSecondMs);
  EXPECT_EQ(resolution("", 10 * kSecondMs, 400), 400);
  EXPECT_EQ(resolution("", 24 * kHourMs, 10 * kSecondMs), 8 * kSecondMs);
  EXPECT_EQ(resolution("&resolution=15s", kHourMs, 60 * kSecondMs), 15 * kSecondMs);
  EXPECT_EQ(resolution("&resolution=0.5", kHourMs, 60 * kSecondMs), 500);
  EXPECT_EQ(resolution("&resolution=60", kHourMs, 60 * kSecondMs), 60 * kSecondMs);
}

TEST(ReduceParamsTest, WrongResolutions) {
  const std::pair<const char*, const char*> cases[] = {{"61", "at most the step"},
                                                       {"0", "at least a millisecond"},
                                                       {"-5", "at least"},
                                                       {"0.0001", "at least"},
                                                       {"5 apples", "resolution"},
                                                       {"100ms", "11000 times"},
                                                       {"9223372036854775807", "resolution"}};
  for (const auto& [text, part] : cases) {
    const auto params = Parse("reduce=max&resolution=" + std::string(text));
    EXPECT_EQ(params.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(Message(params.status())), HasSubstr(part)) << text;
  }
}

// As for any parameter that Prometheus does not know.
TEST(ReduceParamsTest, AResolutionAloneIsIgnored) {
  EXPECT_EQ(Parse("resolution=5+apples")->resolution_ms, 0);
}

}  // namespace
}  // namespace lockstep::api

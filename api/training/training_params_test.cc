#include "api/training/training_params.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "api/training/comparison_json.h"
#include "api/training/efficiency_json.h"
#include "api/training/heat_map_json.h"
#include "api/training/jobs_json.h"
#include "api/training/steps_json.h"
#include "api/training/stragglers_json.h"

namespace lockstep::api {
namespace {

// `setting` is the server's setting, `parameter` the request's parameter ("": none).
absl::StatusOr<answers::Prices> PricesWith(const std::string& setting,
                                           const std::string& parameter) {
  answers::Prices server;
  server.per_gpu_hour = *answers::ParseGpuPrices(setting);
  Request request;
  request.method = "GET";
  request.target = parameter.empty() ? "/" : "/?price=" + parameter;
  return PricesOf(Form::Of(request), server);
}

// Checks the price of an H200 hour, "-" if unknown.
void Check(const std::string& setting, const std::string& parameter, const std::string& expected) {
  const auto prices = PricesWith(setting, parameter);
  ASSERT_TRUE(prices.ok());
  answers::LoadedJob job;
  job.gpu_models = {"NVIDIA H200"};
  const std::optional<double> price = answers::PricePerGpuHour(job, *prices);
  EXPECT_EQ(price.has_value() ? std::to_string(*price).substr(0, 3) : "-", expected);
}

TEST(TrainingParams, ARequestKnowsPricesBetter) {
  Check("2.5", "", "2.5");
  Check("h200-sxm5-141gb:3.2", "4.0", "4.0");
  Check("h200-sxm5-141gb:3.2", "h100-sxm5-80gb:2.1", "-");
}

TEST(TrainingParams, APriceThatIsNoneIsNamed) {
  EXPECT_EQ(PricesWith("", "cheap").status().message(),
            "invalid parameter \"price\": \"cheap\" is not a price, or a model and a price such as "
            "h200-sxm5-141gb:3.2");
}

Form FormWith(const std::string& parameters) {
  Request request;
  request.method = "GET";
  request.target = "/?" + parameters;
  return Form::Of(request);
}

// What `ask` makes of the parameters; "ok", or the parameter that the error names.
template <typename Ask>
std::string Asked(Ask ask, const std::string& parameters) {
  const auto question = ask(FormWith(parameters));
  if (question.ok()) return "ok";
  const std::string message(question.status().message());
  const size_t begin = message.find('"');
  if (begin == message.npos) return message;
  return message.substr(begin + 1, message.find('"', begin + 1) - begin - 1);
}

TEST(TrainingParams, AWrongOneIsNamed) {
  const auto efficiency = [](const std::string& text) { return Asked(EfficiencyQuestionOf, text); };
  EXPECT_EQ(efficiency(""), "no job parameter provided");
  EXPECT_EQ(efficiency("job=j"), "ok");
  EXPECT_EQ(efficiency("job=j&dtype=bf16&convention=6nd&recompute=none&total_tokens=1"), "ok");
  for (const std::string name :
       {"dtype", "convention", "recompute", "total_tokens", "parameters", "layers", "hidden",
        "feed_forward", "heads", "kv_heads", "vocabulary", "sequence_length", "global_batch",
        "start", "end", "attempt"}) {
    for (const std::string value : {"nonsense", "-1", "1x"}) {
      // A time may be negative.
      if (value == "-1" && (name == "start" || name == "end")) continue;
      EXPECT_EQ(efficiency("job=j&" + name + "=" + value), name) << value;
    }
  }
  const auto heat_map = [](const std::string& text) { return Asked(HeatMapQuestionOf, text); };
  EXPECT_EQ(heat_map("job=j"), "no metric parameter provided");
  EXPECT_EQ(heat_map("metric=loss"), "no job parameter provided");
  EXPECT_EQ(heat_map("job=j&metric=nonsense"), "metric");
  EXPECT_EQ(heat_map("job=j&metric=loss&by=rank"), "by");
  EXPECT_EQ(heat_map("job=j&metric=nic_sent_bytes_per_second&by=step"), "by");
  EXPECT_EQ(heat_map("job=j&metric=loss&only=median"), "only");
  const auto stragglers = [](const std::string& text) {
    return Asked([](const Form& form) { return StragglerQuestionOf(form, {}); }, text);
  };
  EXPECT_EQ(stragglers("job=j&method=own_time"), "ok");
  EXPECT_EQ(stragglers("job=j&method=nonsense"), "method");
  EXPECT_EQ(stragglers("job=j&price=cheap"), "price");
  EXPECT_EQ(stragglers("job=j&kwh_price=0"), "kwh_price");
  const auto comparison = [](const std::string& text) { return Asked(ComparisonQuestionOf, text); };
  EXPECT_EQ(comparison(""), "runs");
  EXPECT_EQ(comparison("runs=,"), "runs");
  EXPECT_EQ(comparison("runs=a&align=epoch"), "align");
  EXPECT_EQ(comparison("runs=a&start=nonsense"), "start");
}

TEST(TrainingParams, CountsHaveAnEnd) {
  const auto check = [](auto ask, const std::string& name, int64_t most) {
    const auto with = [&](int64_t count) {
      return Asked(ask, "job=j&runs=a&metric=loss&" + name + "=" + std::to_string(count));
    };
    EXPECT_EQ(with(0), name);
    EXPECT_EQ(with(1), "ok");
    EXPECT_EQ(with(most), "ok");
    EXPECT_EQ(with(most + 1), name);
  };
  check(HeatMapQuestionOf, "bins", 5000);
  check(HeatMapQuestionOf, "rows", 100'000);
  check(StepsQuestionOf, "points", 100'000);
  check(ComparisonQuestionOf, "points", 20'000);
  std::string runs = "runs=a";
  for (int i = 1; i < 20; ++i) runs += ",a";
  EXPECT_EQ(Asked(ComparisonQuestionOf, runs), "ok");
  EXPECT_EQ(Asked(ComparisonQuestionOf, runs + ",a"), "runs");
}

TEST(TrainingParams, OfEfficiency) {
  const auto options = EfficiencyOptionsOf(FormWith(
      "dtype=fp8&convention=palm&recompute=full&gpu_model=h100&total_tokens=1&parameters=2&layers=3"
      "&hidden=4&feed_forward=5&heads=6&kv_heads=7&vocabulary=8&sequence_length=9&global_batch="
      "10"));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->precision, training::Precision::kFp8);
  EXPECT_EQ(options->convention, training::FlopsConvention::kPalm);
  EXPECT_TRUE(options->recomputes_fully);
  EXPECT_EQ(options->gpu_model, "h100");
  EXPECT_EQ(options->total_tokens, 1);
  const training::ModelShape& shape = options->shape;
  EXPECT_EQ(shape.parameters, 2);
  EXPECT_EQ(shape.layers, 3);
  EXPECT_EQ(shape.hidden, 4);
  EXPECT_EQ(shape.feed_forward_hidden, 5);
  EXPECT_EQ(shape.heads, 6);
  EXPECT_EQ(shape.key_value_heads, 7);
  EXPECT_EQ(shape.vocabulary, 8);
  EXPECT_EQ(shape.sequence_length, 9);
  EXPECT_EQ(shape.global_batch, 10);
  EXPECT_FALSE(EfficiencyOptionsOf(FormWith("recompute=none"))->recomputes_fully);
}

TEST(TrainingParams, OfAHeatMap) {
  const auto by_steps = [](const std::string& text) {
    return HeatMapQuestionOf(FormWith("job=j&metric=" + text))->is_over_steps;
  };
  // By steps where there are any, unless the request says otherwise.
  EXPECT_TRUE(by_steps("loss"));
  EXPECT_TRUE(by_steps("loss&by=step"));
  EXPECT_FALSE(by_steps("loss&by=time"));
  EXPECT_FALSE(by_steps("nic_sent_bytes_per_second"));
  EXPECT_FALSE(by_steps("gpu_power_watts"));
  EXPECT_TRUE(by_steps("gpu_power_watts&by=step"));
  const auto only = [](const std::string& name) {
    return HeatMapQuestionOf(FormWith("job=j&metric=loss&only=" + name))->only;
  };
  EXPECT_EQ(only(""), std::nullopt);
  EXPECT_EQ(only("min"), answers::PictureValue::kLowest);
  EXPECT_EQ(only("max"), answers::PictureValue::kHighest);
  EXPECT_EQ(only("last"), answers::PictureValue::kLast);
  EXPECT_EQ(only("mean"), answers::PictureValue::kMean);
  EXPECT_EQ(only("count"), answers::PictureValue::kCount);
}

TEST(TrainingParams, OfStragglers) {
  const auto is_about_now = [](const std::string& text) {
    return StragglerQuestionOf(FormWith("job=j" + text), {})->is_about_now;
  };
  EXPECT_TRUE(is_about_now(""));
  EXPECT_FALSE(is_about_now("&start=1"));
  EXPECT_FALSE(is_about_now("&end=1"));
  EXPECT_FALSE(is_about_now("&attempt=0"));
  EXPECT_EQ(*StragglerQuestionOf(FormWith("job=j&method=own_time"), {})->method,
            training::StragglerMethod::kOwnTime);
}

TEST(TrainingParams, OfAComparison) {
  const auto question = ComparisonQuestionOf(FormWith("runs=a,,b,&align=tokens&points=3&end=2"));
  ASSERT_TRUE(question.ok()) << question.status();
  EXPECT_EQ(question->runs, std::vector<std::string>({"a", "b"}));
  EXPECT_EQ(question->axis, training::ComparisonAxis::kTokens);
  EXPECT_EQ(question->points, 3u);
  EXPECT_EQ(question->time.max_ms, 2000);
  EXPECT_EQ(ComparisonQuestionOf(FormWith("runs=a&align=time"))->axis,
            training::ComparisonAxis::kSeconds);
  EXPECT_EQ(ComparisonQuestionOf(FormWith("runs=a&align=step"))->axis,
            training::ComparisonAxis::kStep);
}

// Without a start, all jobs of the thirty days before the end are listed, and one job whenever it
// ran.
TEST(TrainingParams, OfTheListOfJobs) {
  constexpr int64_t kMonthMs = int64_t{30} * 24 * 3600 * 1000;
  constexpr int64_t kNowMs = 2 * kMonthMs;
  const auto start_ms = [](const std::string& text) {
    return JobListQueryOf(FormWith(text), kNowMs)->time.min_ms;
  };
  EXPECT_EQ(start_ms(""), kNowMs - kMonthMs);
  EXPECT_EQ(start_ms("end=4000000"), 4'000'000'000 - kMonthMs);
  EXPECT_EQ(start_ms("start=7"), 7000);
  EXPECT_EQ(start_ms("start=7&job=j"), 7000);
  EXPECT_EQ(start_ms("job=j"), JobQuestionOf(FormWith("job=j"))->time.min_ms);
  const auto query = JobListQueryOf(FormWith("job=j&end=8"), kNowMs);
  EXPECT_EQ(query->name, "j");
  EXPECT_EQ(query->time.max_ms, 8000);
  EXPECT_EQ(query->now_ms, kNowMs);
  EXPECT_FALSE(query->exclude_verdicts);
  EXPECT_TRUE(JobListQueryOf(FormWith("exclude_verdicts=true"), kNowMs)->exclude_verdicts);
  EXPECT_EQ(JobListQueryOf(FormWith("exclude_verdicts=2"), kNowMs).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::api

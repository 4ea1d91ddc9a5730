// Tests the endpoints of training jobs through the whole API; what they answer is tested in
// answers/ and training/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "api/api_testing.h"
#include "model/histogram.h"

namespace lockstep::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// 2015-07-01T20:09:20Z
constexpr int64_t kJobBeginMs = 1435781360000;

// Two ranks with a GPU each do steps of one second: 0 to 9 and, after a pause of one minute, 5 to
// 19, which end 6.781 s before kNowMs.
class TrainingHandlersTest : public ApiFixture {
 protected:
  TrainingHandlersTest() {
    for (int64_t step = 0; step < 10; ++step) AddStep(kJobBeginMs + 1000 * (step + 1), step);
    for (int64_t step = 5; step < 20; ++step) {
      AddStep(kJobBeginMs + 70'000 + 1000 * (step - 4), step);
    }
  }

  void AddStep(int64_t end_ms, int64_t step) {
    for (const char* rank : {"0", "1"}) {
      const auto add = [&](const char* name, double value) {
        storage_.Append(LabelSet::Of({{kMetricName, name}, {"job", "a"}, {"rank", rank}}), end_ms,
                        value);
      };
      add("train_step", static_cast<double>(step));
      add("train_step_time_seconds", 1);
      add("train_loss", 2);
      storage_.Append(LabelSet::Of({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"},
                                    {"job", "a"},
                                    {"rank", rank},
                                    {"gpu", rank},
                                    {"Hostname", "n1"},
                                    {"modelName", "NVIDIA H100 80GB HBM3"}}),
                      end_ms, 500);
    }
  }

  std::string Training(const std::string& target) { return Body("/api/v1/training/" + target); }
};

std::string NotFound(const std::string& text) {
  return R"({"status":"error","errorType":"not_found","error":")" + text + "\"}";
}

TEST_F(TrainingHandlersTest, JobsAreListedWithTheirAttempts) {
  const std::string body = Training("jobs");
  EXPECT_THAT(body, StartsWith(R"({"status":"success","data":{"jobs":[{"job":"a",)"));
  EXPECT_THAT(body, HasSubstr(R"("first_step":0,"last_step":19,"world_size":2,"attempts":[)"
                              R"({"attempt":0,)"));
  EXPECT_THAT(body, HasSubstr(R"("first_step":5,"last_step":19}],"ranks":[{"rank":0,)"));
  EXPECT_THAT(body, HasSubstr(R"("hosts":["n1"],"gpus":2,)"));
  EXPECT_EQ(Training("jobs?job=b"), Success(R"({"jobs":[]})"));
  EXPECT_EQ(Get("/api/v1/training/jobs?start=x").status, 400);
}

// One request of each kind, what its answer begins with, and a part of it.
TEST_F(TrainingHandlersTest, EachQuestionHasItsAnswer) {
  const std::string head = R"({"status":"success","data":{"job":"a","attempt":1,"from":)";
  const struct {
    std::string target;
    std::string begin;
    std::string part;
  } rows[] = {
      {"stragglers?job=a", head, R"("method":"step_time","verdict":"no_data",)"},
      {"bottlenecks?job=a", head, R"("host_cause":)"},
      {"mfu?job=a", head, R"("step_seconds":1,)"},
      {"ledger?job=a", R"({"status":"success","data":{"job":"a","from":)", R"("attempts":2,)"},
      {"events?job=a", head, R"("events":[)"},
      {"compare?runs=a", R"({"status":"success","data":{"align":"step","at":[)",
       R"("runs":[{"run":"a","step_seconds":1,)"},
      {"heatmap?job=a&metric=loss", head, R"("metric":"loss","unit":"","by":"step",)"},
      {"steps?job=a", R"({"status":"success","data":{"job":"a","from":)",
       R"("attempts":[{"attempt":0,"first_step":0,"last_step":9,)"},
      {"report?job=a", head, R"("words":[)"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(Training(row.target), AllOf(StartsWith(row.begin), HasSubstr(row.part)))
        << row.target;
  }
}

TEST_F(TrainingHandlersTest, AQuestionMayBeAboutAnAttempt) {
  for (const char* path : {"stragglers", "bottlenecks", "mfu", "events", "report"}) {
    EXPECT_THAT(Training(std::string(path) + "?job=a&attempt=0"),
                StartsWith(R"({"status":"success","data":{"job":"a","attempt":0,"from":)"))
        << path;
  }
}

TEST_F(TrainingHandlersTest, WhatIsNotThereIsNotFound) {
  const std::string no_job = NotFound(R"(no data for training job \"b\" in that time range)");
  for (const char* path : {"stragglers?job=b", "bottlenecks?job=b", "mfu?job=b", "events?job=b",
                           "heatmap?job=b&metric=loss", "report?job=b"}) {
    const Response response = Get(std::string("/api/v1/training/") + path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.body, no_job) << path;
  }
  for (const char* path : {"ledger?job=b", "steps?job=b", "compare?runs=b"}) {
    EXPECT_EQ(Get(std::string("/api/v1/training/") + path).status, 404) << path;
  }
  EXPECT_EQ(Training("mfu?job=a&attempt=2"),
            NotFound(R"(job \"a\" has 2 attempts, numbered from 0)"));
}

TEST_F(TrainingHandlersTest, AJobMustBeNamed) {
  for (const char* path : {"stragglers", "bottlenecks", "mfu", "ledger", "events",
                           "heatmap?metric=loss", "steps", "report"}) {
    EXPECT_EQ(Training(path), BadData("no job parameter provided")) << path;
  }
  EXPECT_EQ(
      Training("compare"),
      BadData(R"(invalid parameter \"runs\": must be 1 to 20 job names separated by commas)"));
}

// All messages about parameters are for people, and name what would be right.
TEST_F(TrainingHandlersTest, WrongParametersAreExplained) {
  const auto check = [this](const std::string& target, const std::string& text) {
    const Response response = Get("/api/v1/training/" + target);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_EQ(response.body, BadData("invalid parameter " + text)) << target;
  };
  check("mfu?job=a&attempt=-1", R"(\"attempt\": must be 0 or greater)");
  check("mfu?job=a&dtype=int3", R"(\"dtype\": unknown type \"int3\")");
  check("mfu?job=a&convention=x",
        R"(\"convention\": \"x\" is not one of reported, 6nd, causal_attention, full_attention, )"
        "palm");
  check("mfu?job=a&recompute=x", R"(\"recompute\": \"x\" is not one of full, none)");
  check("mfu?job=a&layers=0", R"(\"layers\": \"0\" is not a positive number)");
  check("mfu?job=a&layers=inf", R"(\"layers\": \"inf\" is not a positive number)");
  check("stragglers?job=a&method=x",
        R"(\"method\": \"x\" is not one of collective_waits, phase_times, own_time, )"
        "device_counters, step_time");
  check("heatmap?job=a&metric=loss&by=x", R"(\"by\": \"x\" is not one of step, time)");
  check("heatmap?job=a&metric=nic_sent_bytes_per_second&by=step",
        R"(\"by\": host interfaces are only available by time, not by step)");
  check("heatmap?job=a&metric=loss&only=x",
        R"(\"only\": \"x\" is not one of min, max, last, mean, count)");
  check("heatmap?job=a&metric=loss&bins=5001",
        R"(\"bins\": \"5001\" is not a number from 1 to 5000)");
  check("compare?runs=a&align=x", R"(\"align\": \"x\" is not one of step, tokens, time)");
  check("report?job=a&format=x", R"(\"format\": \"x\" is not one of json, text, markdown)");
  check("report?job=a&price=x",
        R"(\"price\": \"x\" is not a price, or a model and a price such as h200-sxm5-141gb:3.2)");
  check("report?job=a&method=x",
        R"(\"method\": \"x\" is not one of collective_waits, phase_times, own_time, )"
        "device_counters, step_time");
  check("report?job=a&dtype=x", R"(\"dtype\": unknown type \"x\")");
}

// Two GPUs for 85 seconds, or for the time of the question.
TEST_F(TrainingHandlersTest, PricesAreThoseOfTheServerUnlessARequestHasOthers) {
  EXPECT_THAT(Training("ledger?job=a"), HasSubstr(R"("cost":null,"energy":)"));
  EXPECT_THAT(
      Training("ledger?job=a&price=36"),
      AllOf(HasSubstr(R"("cost":{"price_per_gpu_hour":36,)"), HasSubstr(R"("currency":null,)")));
  ApiOptions options;
  options.prices.per_gpu_hour = *answers::ParseGpuPrices("2.5");
  options.prices.currency = "EUR";
  Restart(tenants_, options);
  EXPECT_THAT(Training("ledger?job=a"), AllOf(HasSubstr(R"("cost":{"price_per_gpu_hour":2.5,)"),
                                              HasSubstr(R"("currency":"EUR",)")));
  EXPECT_THAT(Training("stragglers?job=a"), HasSubstr(R"("currency":"EUR",)"));
  EXPECT_THAT(Training("report?job=a"), HasSubstr(R"("cost":{"price_per_gpu_hour":2.5,)"));
  EXPECT_THAT(Training("report?job=a&price=4"), HasSubstr(R"("cost":{"price_per_gpu_hour":4,)"));
}

TEST_F(TrainingHandlersTest, AReportHasAllFindings) {
  const std::string body = Training("report?job=a");
  EXPECT_THAT(body, HasSubstr(R"("words":["a: 2 ranks on NVIDIA H100 80GB HBM3, 1 host, )"));
  const std::string head = R"({"job":"a","attempt":1,"from":)";
  EXPECT_THAT(body, HasSubstr(R"("summary":{"job":"a","state":)"));
  for (const char* key : {"stragglers", "bottlenecks", "mfu", "events"}) {
    EXPECT_THAT(body, HasSubstr(absl::StrFormat(R"("%s":)", key) + head)) << key;
  }
  EXPECT_THAT(body, HasSubstr(R"("ledger":{"job":"a","from":)"));
  EXPECT_EQ(Training("report?job=a&format=json"), body);
}

TEST_F(TrainingHandlersTest, AReportMayBeText) {
  const Response text = Get("/api/v1/training/report?job=a&format=text");
  EXPECT_EQ(text.content_type, "text/plain; charset=utf-8");
  EXPECT_THAT(text.body, AllOf(HasSubstr("a: 2 ranks"), Not(HasSubstr("## "))));
  const Response markdown = Get("/api/v1/training/report?job=a&format=markdown");
  EXPECT_EQ(markdown.content_type, "text/markdown; charset=utf-8");
  EXPECT_THAT(markdown.body, AllOf(HasSubstr("a: 2 ranks"), HasSubstr("## ")));
}

class StepAxisTest : public TrainingHandlersTest {
 protected:
  std::string OverSteps(const std::string& parameters) {
    return Body("/api/v1/query_range?axis=step&" + parameters);
  }
};

std::string Matrix(const std::string& series) {
  return Success(R"({"resultType":"matrix","result":[)" + series + "]}");
}

// The value at a step is that at its end.
TEST_F(StepAxisTest, PointsAreStepsInsteadOfTimes) {
  EXPECT_EQ(OverSteps("job=a&query=sum(train_step)&start=5&end=7"),
            Matrix(R"({"metric":{},"values":[[5,"10"],[6,"12"],[7,"14"]]})"));
  EXPECT_EQ(OverSteps("job=a&query=train_step&start=18"),
            Matrix(R"({"metric":{"__name__":"train_step","job":"a","rank":"0"},)"
                   R"("values":[[18,"18"],[19,"19"]]},)"
                   R"({"metric":{"__name__":"train_step","job":"a","rank":"1"},)"
                   R"("values":[[18,"18"],[19,"19"]]})"));
  EXPECT_EQ(OverSteps("job=a&query=7&start=5&end=9&step=2"),
            Matrix(R"({"metric":{},"values":[[5,"7"],[7,"7"],[9,"7"]]})"));
}

TEST_F(StepAxisTest, AnAttemptMayBeChosen) {
  EXPECT_EQ(OverSteps("job=a&query=time()&attempt=0&start=5&end=5"),
            Matrix(R"({"metric":{},"values":[[5,"1435781366"]]})"));
  EXPECT_EQ(OverSteps("job=a&query=time()&attempt=1&start=5&end=5"),
            Matrix(R"({"metric":{},"values":[[5,"1435781431"]]})"));
  EXPECT_EQ(OverSteps("job=a&query=time()&start=5&end=5"),
            OverSteps("job=a&query=time()&attempt=1&start=5&end=5"));
}

TEST_F(StepAxisTest, HistogramsHaveSteps) {
  auto histogram = std::make_shared<Histogram>();
  histogram->count = 4;
  histogram->sum = 2;
  storage_.Append(LabelSet::Of({{kMetricName, "h"}}), kJobBeginMs + 71'000, std::move(histogram));
  EXPECT_EQ(OverSteps("job=a&query=h&start=5&end=6"),
            Matrix(R"({"metric":{"__name__":"h"},"histograms":[[5,{"count":"4","sum":"2"}],)"
                   R"([6,{"count":"4","sum":"2"}]]})"));
}

TEST_F(StepAxisTest, SamplesAreCounted) {
  const uint64_t before = api_->stats().query_samples_total;
  OverSteps("job=a&query=train_step&start=5&end=7");
  EXPECT_EQ(api_->stats().query_samples_total - before, 6u);
}

TEST_F(StepAxisTest, WrongParametersAreExplained) {
  const auto check = [this](const std::string& parameters, const std::string& text) {
    EXPECT_EQ(OverSteps(parameters), BadData(text)) << parameters;
  };
  check("query=1", R"(axis=step requires the parameter \"job\")");
  check("query=1&job=a&attempt=-1", R"(invalid parameter \"attempt\": must be 0 or greater)");
  check("query=1&job=a&attempt=x", R"(invalid parameter \"attempt\": must be 0 or greater)");
  check("query=up[5m]&job=a", "axis=step supports only scalar and instant vector expressions");
  EXPECT_EQ(OverSteps("query=1&job=b"),
            NotFound(R"(no data for training job \"b\" in that time range)"));
  EXPECT_EQ(Get("/api/v1/query_range?axis=step&job=a&query=%29").status, 400);
  for (const std::string name : {"start", "end", "step"}) {
    check("query=1&job=a&" + name + "=1.5",
          R"(invalid parameter \")" + name +
              R"(\": with axis=step it must be a number of training steps, not \"1.5\")");
    // 2^53 and one more.
    for (const std::string sign : {"", "-"}) {
      EXPECT_THAT(OverSteps("query=1&job=a&" + name + "=" + sign + "9007199254740992"),
                  Not(HasSubstr("must be a number of training steps")));
      EXPECT_THAT(OverSteps("query=1&job=a&" + name + "=" + sign + "9007199254740993"),
                  HasSubstr("must be a number of training steps"));
    }
  }
}

// A point is about all steps after the point before it.
TEST_F(StepAxisTest, CountersAreDividedAmongSteps) {
  // 500 a second, from 300 ms after the second attempt began.
  for (int64_t i = 0; i < 10; ++i) {
    storage_.Append(LabelSet::Of({{kMetricName, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}}),
                    kJobBeginMs + 70'300 + 2000 * i, 1000 * static_cast<double>(i));
  }
  const std::string query = "job=a&query=DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION&per_step=increase";
  const std::string metric = R"({"metric":{"__name__":"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"},)";
  EXPECT_EQ(OverSteps(query + "&end=7"), Matrix(metric + R"("values":[[6,"500"],[7,"500"]]})"));
  EXPECT_EQ(OverSteps(query + "&start=6&end=10&step=2"),
            Matrix(metric + R"("values":[[6,"500"],[8,"1000"],[10,"1000"]]})"));
  // Millijoules.
  EXPECT_EQ(OverSteps(query + "&end=7&units=role"),
            Matrix(metric + R"("values":[[6,"0.5"],[7,"0.5"]]})"));
}

TEST_F(StepAxisTest, RatesAreIntegrated) {
  const std::string query =
      "job=a&query=DCGM_FI_DEV_POWER_USAGE{rank=\"0\"}&per_step=integral&end=7";
  const std::string metric =
      R"({"metric":{"Hostname":"n1","__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0","job":"a",)"
      R"("modelName":"NVIDIA H100 80GB HBM3","rank":"0"},)";
  EXPECT_EQ(OverSteps(query), Matrix(metric + R"("values":[[5,"500"],[6,"500"],[7,"500"]]})"));
  // The sample before the first step is a minute older.
  EXPECT_EQ(OverSteps(query + "&lookback_delta=10s"),
            Matrix(metric + R"("values":[[6,"500"],[7,"500"]]})"));
  EXPECT_EQ(OverSteps("job=a&query=none&per_step=integral"), Matrix(""));
}

// A GPU that did something before the job, under the name of another job or under none.
TEST_F(StepAxisTest, ADeviceCountsInTheStepsOfTheJobOnly) {
  constexpr const char* kName = "nvlink_bytes_total";
  for (int64_t second = -50; second <= 100; ++second) {
    const int64_t time_ms = kJobBeginMs + 70'500 + 1000 * second;
    const double value =
        second < 1 ? 1e6 * static_cast<double>(second + 50) : 5e7 + 8 * static_cast<double>(second);
    storage_.Append(LabelSet::Of({{kMetricName, kName}, {"gpu", "7"}}), time_ms, value);
    storage_.Append(LabelSet::Of({{kMetricName, kName}, {"job", second < 1 ? "before" : "a"}}),
                    time_ms, value);
  }
  const std::string query = "job=a&per_step=increase&end=8&query=" + std::string(kName);
  // Step 6 begins between the last sample of the other job and the first of this one.
  EXPECT_EQ(OverSteps(query + "{gpu=\"7\"}&start=7"),
            Matrix(R"({"metric":{"__name__":"nvlink_bytes_total","gpu":"7"},)"
                   R"("values":[[7,"8"],[8,"8"]]})"));
  EXPECT_EQ(OverSteps(query + "{job=\"a\"}"),
            Matrix(R"({"metric":{"__name__":"nvlink_bytes_total","job":"a"},)"
                   R"("values":[[7,"8"],[8,"8"]]})"));
}

TEST_F(StepAxisTest, StepsAreReduced) {
  const LabelSet m = LabelSet::Of({{kMetricName, "m"}});
  for (int64_t i = 0; i < 40; ++i) {
    storage_.Append(m, kJobBeginMs + 70'000 + 250 * i, i == 6 ? 99 : 1);
  }
  EXPECT_EQ(OverSteps("job=a&query=m&reduce=max,count&end=7"),
            Matrix(R"({"metric":{"__name__":"m","__reduce__":"count"},)"
                   R"("values":[[5,"4"],[6,"4"],[7,"4"]]},)"
                   R"({"metric":{"__name__":"m","__reduce__":"max"},)"
                   R"("values":[[5,"1"],[6,"99"],[7,"1"]]})"));
  // Every tenth of the point's two steps.
  EXPECT_EQ(OverSteps("job=a&query=m*2&reduce=max,count&start=5&end=7&step=2"),
            Matrix(R"({"metric":{"__reduce__":"count"},"values":[[5,"10"],[7,"10"]]},)"
                   R"({"metric":{"__reduce__":"max"},"values":[[5,"2"],[7,"198"]]})"));
}

TEST_F(StepAxisTest, WrongAmountsAreExplained) {
  const auto check = [this](const std::string& parameters, const std::string& part) {
    const Response response = Get("/api/v1/query_range?axis=step&job=a&" + parameters);
    EXPECT_EQ(response.status, 400) << parameters;
    EXPECT_THAT(response.body, HasSubstr(part)) << parameters;
  };
  check("query=m&per_step=sum", "must be increase, for counters, or integral");
  check("query=m&per_step=increase&lookback_delta=x", "lookback_delta");
  check("query=m&per_step=increase&reduce=max", "per_step and reduce exclude each other");
  check("query=m&reduce=most", "is none of min, max");
  check("query=m%7B&per_step=increase", "parse error");
  check("query=lockstep_mfu&per_step=integral", "are computed");
  check("query=DCGM_FI_DEV_POWER_USAGE&per_step=increase",
        R"(\"DCGM_FI_DEV_POWER_USAGE\" is a gauge and cannot increase: use per_step=integral)");
  storage_.Append(LabelSet::Of({{kMetricName, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}}),
                  kJobBeginMs + 71'000, 5);
  check("query=DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION&per_step=integral", "use per_step=increase");
  for (const char* query : {"rate(m[5m])", "m+offset+5m", "m+@+5", "m*2", "7", "(m)"}) {
    check(std::string("per_step=increase&query=") + query, "requires a selector without functions");
  }
}

TEST_F(StepAxisTest, TimeIsTheOtherAxis) {
  const std::string query = "/api/v1/query_range?query=7&start=1&end=2&step=1";
  const std::string points = Matrix(R"({"metric":{},"values":[[1,"7"],[2,"7"]]})");
  EXPECT_EQ(Body(query), points);
  EXPECT_EQ(Body(query + "&axis=time"), points);
  EXPECT_EQ(Body(query + "&axis=rank"),
            BadData(R"(invalid parameter \"axis\": must be time or step)"));
  EXPECT_EQ(Body(query + "&per_step=increase"),
            BadData(R"(invalid parameter \"per_step\": requires axis=step)"));
}

}  // namespace
}  // namespace lockstep::api

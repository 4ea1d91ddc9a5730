#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "cli/questions/questions.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;

constexpr const char* kJob = "/api/v1/training/jobs";
constexpr const char* kSteps = "/api/v1/training/steps";
constexpr const char* kVerdict = "/api/v1/training/stragglers";
constexpr const char* kHeatMap = "/api/v1/training/heatmap";

// A job from second 1000 to 10000 with two ranks.
class RanksTest : public ::testing::Test {
 protected:
  RanksTest() {
    setenv("LC_ALL", "C", 1);
    flags_.server = server_.options();
    flags_.job = "a";
  }

  void PrepareJob(const std::string& step) {
    server_.PrepareData(kJob, R"({"jobs":[{"job":"a","state":"ended",)" + step +
                                  R"("verdict":"slow_rank","from":1000,"to":10000,"ranks":[)"
                                  R"({"rank":0,"host":"h","gpu":"0"},)"
                                  R"({"rank":1,"host":"h","gpu":"1"}]}]})");
    server_.PrepareData(
        kVerdict, R"({"ranks":[{"rank":1,"verdict":"slow_rank","cause":"gpu","score":0.5}]})");
  }
  void PreparePicture(const std::string& metric, const std::string& means) {
    server_.PrepareData(kHeatMap,
                        R"({"metric":")" + metric + R"(","ranks":[0,1],"mean":)" + means + "}");
  }
  void PrepareCounters() {
    PreparePicture("DCGM_FI_PROF_SM_ACTIVE", "[[0.5],[0.25]]");
    PreparePicture("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "[[0.4],[0.2]]");
    PreparePicture("DCGM_FI_DEV_POWER_USAGE", "[[700],[650]]");
    PreparePicture("DCGM_FI_DEV_GPU_TEMP", "[[60],[61]]");
  }
  void PrepareSteps(const std::string& median_s) {
    server_.PrepareData(kSteps, R"({"attempts":[{"pacing":{"median_seconds":9}},)"
                                R"({"pacing":{"median_seconds":)" +
                                    median_s + "}}]}");
    PreparePicture("step_seconds", "[[2,2],[2,2]]");
    PreparePicture("own_seconds", "[[1,1],[1.5,1.5]]");
    PrepareCounters();
  }
  Ran Run() {
    return RunCaptured([this] { return ShowRanks(flags_); });
  }

  FakeServer server_;
  RanksFlags flags_;
};

TEST_F(RanksTest, ComparesTheRanksOfAJob) {
  PrepareJob(R"("last_step":183,)");
  PrepareSteps("0.5");
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  const std::string unnamed(30, ' ');
  EXPECT_EQ(
      ran.out,
      "a  ended  step 183  500.0 ms  slow_rank: rank 1 (gpu)  1970-01-01 02:46:40Z\n\n"
      "rank  host  GPU  step ms  own ms  over median %  verdict    cause  late %  SM %  tensor %"
      "    W   C  last steps\n"
      "   1  h       1   2000.0  1500.0           20.0  slow_rank  gpu      50.0    25        20"
      "  650  61  ##\n"
      "   0  h       0   2000.0  1000.0          -20.0" +
          unnamed + "50        40  700  60  __\n");
}

// 32 steps are shown, from twice as many that are asked for.
TEST_F(RanksTest, AsksAboutTheLastSteps) {
  PrepareJob("");
  PrepareSteps("0.5");
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_THAT(server_.bodies(kJob), ElementsAre("job=a&start=0"));
  EXPECT_THAT(server_.bodies(kSteps), ElementsAre("points=1&job=a&start=6400.000&end=10000.000"));
  EXPECT_THAT(server_.bodies(kVerdict), ElementsAre("job=a&start=6400.000&end=10000.000"));
  EXPECT_THAT(
      server_.bodies(kHeatMap),
      ElementsAre(
          "metric=step_seconds&bins=64&job=a&start=9968.000&end=10000.000",
          "metric=own_seconds&bins=64&job=a&start=9968.000&end=10000.000",
          "metric=DCGM_FI_PROF_SM_ACTIVE&bins=1&job=a&start=9940.000&end=10000.000",
          "metric=DCGM_FI_PROF_PIPE_TENSOR_ACTIVE&bins=1&job=a&start=9940.000&end=10000.000",
          "metric=DCGM_FI_DEV_POWER_USAGE&bins=1&job=a&start=9940.000&end=10000.000",
          "metric=DCGM_FI_DEV_GPU_TEMP&bins=1&job=a&start=9940.000&end=10000.000"));
}

TEST_F(RanksTest, CountersCoverTheStepsThatAreShown) {
  PrepareJob("");
  PrepareSteps("4");
  Run();
  const std::vector<std::string> asked = server_.bodies(kHeatMap);
  ASSERT_EQ(asked.size(), 6u);
  EXPECT_EQ(asked[0], "metric=step_seconds&bins=64&job=a&start=9744.000&end=10000.000");
  EXPECT_EQ(asked[2], "metric=DCGM_FI_PROF_SM_ACTIVE&bins=1&job=a&start=9872.000&end=10000.000");
}

TEST_F(RanksTest, NothingIsAskedAboutTheTimeBeforeTheJob) {
  PrepareJob("");
  PrepareSteps("1000");
  Run();
  EXPECT_EQ(server_.bodies(kHeatMap).at(0),
            "metric=step_seconds&bins=64&job=a&start=1000.000&end=10000.000");
}

TEST_F(RanksTest, AJobWithoutStepsHasCountersAlone) {
  PrepareJob("");
  server_.PrepareData(kSteps, R"({"attempts":[]})");
  PrepareCounters();
  flags_.form.as_csv = true;
  EXPECT_EQ(Run().out,
            "rank,host,gpu,step_seconds,own_seconds,own_excess,verdict,cause,late,sm_active,"
            "tensor_active,power_watts,temperature_celsius,seconds_lately\n"
            "1,h,1,,,,slow_rank,gpu,0.5,0.25,0.2,650,61,\n"
            "0,h,0,,,,,,,0.5,0.4,700,60,\n");
  const std::vector<std::string> asked = server_.bodies(kHeatMap);
  ASSERT_EQ(asked.size(), 4u);
  EXPECT_EQ(asked[0], "metric=DCGM_FI_PROF_SM_ACTIVE&bins=1&job=a&start=9940.000&end=10000.000");
}

TEST_F(RanksTest, TheHeadlineHasOnlyWhatIsKnown) {
  PrepareJob("");
  server_.PrepareData(kSteps, R"({"attempts":[]})");
  PrepareCounters();
  const std::string out = Run().out;
  EXPECT_EQ(out.substr(0, out.find('\n')),
            "a  ended  slow_rank: rank 1 (gpu)  1970-01-01 02:46:40Z");
}

TEST_F(RanksTest, PassesOnTheTimes) {
  PrepareJob("");
  PrepareSteps("0.5");
  flags_.start = "7";
  flags_.end = "99";
  Run();
  EXPECT_THAT(server_.bodies(kJob), ElementsAre("job=a&start=7&end=99"));
}

TEST_F(RanksTest, AMissingJobIsAnError) {
  server_.PrepareData(kJob, R"({"jobs":[]})");
  flags_.job = "b";
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors,
            "lockstep: no data for training job \"b\" in that time range; the server has no "
            "training jobs yet\n");
}

TEST_F(RanksTest, FailsIfARequestDoes) {
  PrepareJob("");
  EXPECT_EQ(Run().code, kFailure);  // no steps
  server_.PrepareData(kSteps, R"({"attempts":[]})");
  EXPECT_EQ(Run().code, kFailure);  // no counters
}

}  // namespace
}  // namespace lockstep::cli

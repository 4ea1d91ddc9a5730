#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_format.h"
#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "cli/questions/questions.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kJobs = "/api/v1/training/jobs";
constexpr const char* kMfu = "/api/v1/training/mfu";
constexpr const char* kLedger = "/api/v1/training/ledger";
constexpr const char* kStragglers = "/api/v1/training/stragglers";
constexpr const char* kCsvHeader =
    "job,state,ranks,last_step,step_seconds,mfu,goodput,verdict,straggler,cause,late,until\n";

class JobsTest : public ::testing::Test {
 protected:
  JobsTest() {
    setenv("LC_ALL", "C", 1);
    flags_.server = server_.options();
  }

  void PrepareFigures() {
    server_.PrepareData(kMfu, R"({"step_seconds":0.25,"mfu":0.4})");
    server_.PrepareData(kLedger, R"({"goodput":0.9})");
    server_.PrepareData(kStragglers, R"({"ranks":[{"rank":3,"cause":"gpu","score":0.125}]})");
  }
  void PrepareJob(double from_s) {
    server_.PrepareData(
        kJobs, absl::StrFormat(R"({"jobs":[{"job":"a","state":"running","world_size":8,)"
                               R"("last_step":100,"verdict":"slow_rank","from":%f,"to":10000}]})",
                               from_s));
  }
  Ran Run() {
    return RunCaptured([this] { return ListJobs(flags_); });
  }

  FakeServer server_;
  JobsFlags flags_;
};

TEST_F(JobsTest, ShowsEachJobWithItsFigures) {
  PrepareJob(1000);
  PrepareFigures();
  Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out,
            "job  state    ranks  step  step ms  MFU %  goodput %  verdict    rank  cause  late %"
            "  until\n"
            "a    running      8   100    250.0   40.0       90.0  slow_rank     3  gpu      12.5"
            "  1970-01-01 02:46:40Z\n");
  flags_.form.as_csv = true;
  EXPECT_EQ(Run().out,
            std::string(kCsvHeader) +
                "a,running,8,100,0.25,0.4,0.9,slow_rank,3,gpu,0.125,1970-01-01 02:46:40Z\n");
  flags_.form = {.as_json = true, .as_csv = false, .watch_s = ""};
  EXPECT_THAT(Run().out, HasSubstr(R"([{"job":"a","state":"running","ranks":8,)"));
}

// The figures describe the last hour of a job.
TEST_F(JobsTest, AsksAboutTheEndOfALongJob) {
  PrepareJob(1000);
  PrepareFigures();
  Run();
  for (const char* path : {kMfu, kLedger, kStragglers}) {
    EXPECT_THAT(server_.bodies(path), ElementsAre("job=a&start=6400.000&end=10000.000"));
  }
}

TEST_F(JobsTest, AsksAboutAllOfAShortJob) {
  PrepareJob(9000);
  PrepareFigures();
  Run();
  EXPECT_THAT(server_.bodies(kMfu), ElementsAre("job=a&start=9000.000&end=10000.000"));
}

TEST_F(JobsTest, LeavesEmptyWhatTheServerDoesNotKnow) {
  server_.PrepareData(kJobs, R"({"jobs":[{"job":"a","state":"ended"}]})");
  for (const char* path : {kMfu, kLedger, kStragglers}) server_.PrepareData(path, "{}");
  flags_.form.as_csv = true;
  EXPECT_EQ(Run().out, std::string(kCsvHeader) + "a,ended,,,,,,,,,,\n");
}

TEST_F(JobsTest, SixteenJobsHaveFigures) {
  std::string jobs;
  for (int i = 0; i < 17; ++i) {
    absl::StrAppendFormat(&jobs, R"(%s{"job":"j%d","to":10000})", i > 0 ? "," : "", i);
  }
  server_.PrepareData(kJobs, R"({"jobs":[)" + jobs + "]}");
  PrepareFigures();
  flags_.form.as_csv = true;
  const Ran ran = Run();
  EXPECT_THAT(ran.out, HasSubstr("\nj15,,,,0.25,0.4,0.9,,3,gpu,0.125,1970-01-01 02:46:40Z\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nj16,,,,,,,,,,,1970-01-01 02:46:40Z\n"));
  EXPECT_EQ(server_.bodies(kMfu).size(), 16u);
}

TEST_F(JobsTest, FailsIfAFigureDoes) {
  PrepareJob(1000);
  PrepareFigures();
  server_.Prepare(kLedger, FakeServer::Reply{"off", 503});
  Run();
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, "lockstep: HTTP 503: the response is not a valid API response\n");
}

TEST_F(JobsTest, ExplainsAnEmptyList) {
  server_.PrepareData(kJobs, R"({"jobs":[]})");
  server_.PrepareData(kJobs, R"({"jobs":[{"job":"old","to":100}]})");
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out,
            "no training jobs in the last 30 days. The latest of 1 others, \"old\", ended at "
            "1970-01-01 00:01:40Z.\n`lockstep jobs --start 0` lists all of them.\n");
}

TEST_F(JobsTest, PassesOnTheTimes) {
  server_.PrepareData(kJobs, R"({"jobs":[]})");
  server_.PrepareData(kJobs, R"({"jobs":[{"job":"old","to":100}]})");
  flags_.end = "9";
  EXPECT_THAT(Run().out, HasSubstr("no training jobs in that time range."));
  EXPECT_EQ(server_.bodies(kJobs).front(), "end=9");
  FakeServer other;
  other.PrepareData(kJobs, R"({"jobs":[]})");
  flags_.server = other.options();
  flags_.start = "5";
  Run();
  EXPECT_EQ(other.bodies(kJobs).front(), "start=5&end=9");
}

TEST_F(JobsTest, AnEmptyListIsAnArrayForPrograms) {
  server_.PrepareData(kJobs, R"({"jobs":[]})");
  flags_.form.as_json = true;
  EXPECT_EQ(Run().out, "[]\n");
}

}  // namespace
}  // namespace lockstep::cli

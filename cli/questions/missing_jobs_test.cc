#include "cli/questions/missing_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client/fake_server_testing.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;

constexpr const char* kJobsPath = "/api/v1/training/jobs";
constexpr const char* kHowToSend =
    "Send a training log with `lockstep import --job NAME FILE`; `lockstep demo` shows recorded "
    "jobs.\n";

class MissingJobsTest : public ::testing::Test {
 protected:
  MissingJobsTest() : client_(*HttpClient::Make(server_.options())) {}

  FakeServer server_;
  const std::unique_ptr<HttpClient> client_;
};

TEST_F(MissingJobsTest, NamesTheLatestJobOfAnotherTime) {
  server_.PrepareData(kJobsPath, R"({"jobs":[{"job":"b","to":100},{"job":"a","to":50}]})");
  EXPECT_EQ(WhyNoJobs(*client_, true),
            "no training jobs in that time range. The latest of 2 others, \"b\", ended at "
            "1970-01-01 00:01:40Z.\n`lockstep jobs --start 0` lists all of them.\n");
  EXPECT_THAT(server_.asked(),
              ElementsAre("POST /api/v1/training/jobs start=0&exclude_verdicts=true"));
  EXPECT_EQ(WhyNoJobs(*client_, false).substr(0, 37), "no training jobs in the last 30 days.");
}

TEST_F(MissingJobsTest, SaysWhetherTheServerHasAnything) {
  server_.PrepareData(kJobsPath, R"({"jobs":[]})");
  server_.PrepareData("/api/v1/status/tsdb", R"({"headStats":{"numSeries":12}})");
  EXPECT_EQ(WhyNoJobs(*client_, true),
            std::string("no training jobs: the server stores 12 series, but none of them belongs "
                        "to a training job.\n") +
                kHowToSend);
  FakeServer empty;
  empty.PrepareData(kJobsPath, R"({"jobs":[]})");
  empty.PrepareData("/api/v1/status/tsdb", R"({"headStats":{"numSeries":0}})");
  const auto client = HttpClient::Make(empty.options());
  EXPECT_EQ(WhyNoJobs(**client, true),
            std::string("no training jobs: the server has stored nothing yet.\n") + kHowToSend);
}

TEST_F(MissingJobsTest, SaysLittleIfTheServerDoes) {
  EXPECT_EQ(WhyNoJobs(*client_, true), "no training jobs in that time range\n");
  server_.PrepareData(kJobsPath, R"({"jobs":[]})");
  // The size of the store is not to be had.
  EXPECT_EQ(WhyNoJobs(*client_, true),
            std::string("no training jobs: the server has stored nothing yet.\n") + kHowToSend);
}

TEST_F(MissingJobsTest, SuggestsTheJobThatWasMeant) {
  server_.PrepareData(kJobsPath,
                      R"({"jobs":[{"job":"llama","to":100},{"job":"mixtral","to":50}]})");
  EXPECT_EQ(AdviceOnMissingJob(*client_, "lama"), "; did you mean llama?");
  EXPECT_EQ(AdviceOnMissingJob(*client_, "mixtral"), "");
  EXPECT_EQ(AdviceOnMissingJob(*client_, "something-else"),
            "; `lockstep jobs --start 0` lists all jobs");
}

TEST_F(MissingJobsTest, SuggestsNothingWithoutJobs) {
  EXPECT_EQ(AdviceOnMissingJob(*client_, "lama"), "");
  server_.PrepareData(kJobsPath, R"({"jobs":[]})");
  EXPECT_EQ(AdviceOnMissingJob(*client_, "lama"), "; the server has no training jobs yet");
}

}  // namespace
}  // namespace lockstep::cli

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "cli/questions/questions.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;

constexpr const char* kReport = "/api/v1/training/report";

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() {
    flags_.server = server_.options();
    flags_.job = "a";
  }

  Ran Run() {
    return RunCaptured([this] { return Report(flags_); });
  }

  FakeServer server_;
  ReportFlags flags_;
};

TEST_F(ReportTest, PrintsTheServersText) {
  server_.Prepare(kReport, "all went well\x1b[0m\n");
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out, "all went well\\x1b[0m\n");
  EXPECT_THAT(server_.asked(), ElementsAre("POST /api/v1/training/report job=a&format=text"));
}

TEST_F(ReportTest, PassesOnItsFlags) {
  server_.Prepare(kReport, "{}");
  flags_.start = "1";
  flags_.end = "2";
  flags_.price = "3.2";
  flags_.as_json = true;
  EXPECT_EQ(Run().out, "{}\n");
  flags_.as_json = false;
  flags_.as_markdown = true;
  EXPECT_EQ(Run().out, "{}");
  EXPECT_THAT(server_.bodies(kReport),
              ElementsAre("job=a&start=1&end=2&price=3.2&format=json",
                          "job=a&start=1&end=2&price=3.2&format=markdown"));
}

TEST_F(ReportTest, SuggestsTheJobThatWasMeant) {
  server_.Prepare(
      kReport,
      FakeServer::Reply{R"({"status":"error","errorType":"bad_data","error":"no such job"})", 400});
  server_.PrepareData("/api/v1/training/jobs", R"({"jobs":[{"job":"llama","to":100}]})");
  flags_.job = "lama";
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, "lockstep: HTTP 400: bad_data: no such job; did you mean llama?\n");
}

TEST_F(ReportTest, SuggestsNothingIfTheServerIsUnwell) {
  server_.Prepare(kReport, FakeServer::Reply{"", 500});
  EXPECT_EQ(Run().errors, "lockstep: HTTP 500: the response is not a valid API response\n");
  EXPECT_EQ(server_.asked().size(), 1u);
}

}  // namespace
}  // namespace lockstep::cli

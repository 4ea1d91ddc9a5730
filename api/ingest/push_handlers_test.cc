#include "api/ingest/push_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ingest/ingester.h"
#include "ingest/write/ingest_testing.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSteps = R"({"job":"a","rank":0,"step":1,"time":1700000000,"loss":2.5})"
                                    "\n"
                                    R"({"job":"a","rank":0,"step":2,"time":1700000001,"loss":2.25})"
                                    "\n";

class PushHandlersTest : public testing::Test {
 protected:
  struct Given {
    std::string target;
    std::string body;
    std::vector<Header> headers{};
  };

  Response Post(Given given) {
    Request request;
    request.method = "POST";
    request.target = std::move(given.target);
    request.headers = std::move(given.headers);
    if (request.header("Content-Type").empty()) {
      request.headers.push_back({"Content-Type", "text/plain"});
    }
    request.body = std::move(given.body);
    std::optional<Response> response;
    const auto handle = request.path() == "/api/v1/push/log" ? HandleLogPush : HandleStepPush;
    handle(request, {pusher_, limits_, 1'700'000'000'000},
           [&](Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }
  Response Steps(std::string_view body, std::string offset = "") {
    std::vector<Header> headers;
    if (!offset.empty()) {
      headers = {{"X-Lockstep-Stream", "s"}, {"X-Lockstep-Offset", std::move(offset)}};
    }
    return Post({"/api/v1/push/steps", std::string(body), std::move(headers)});
  }

  FakeStorage storage_;
  const IngestLimits limits_{.max_decoded_bytes = 10'000};
  Ingester ingester_{storage_, limits_};
  push::LogPusher pusher_{ingester_, limits_, nullptr};
};

TEST_F(PushHandlersTest, StepsBecomeSamples) {
  const Response response = Steps(kSteps);
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(R"("accepted":2)"));
  std::vector<std::string> stored;
  for (const SeriesWrite& series : storage_.last_request.series) {
    for (const Sample& sample : series.samples) {
      stored.push_back(series.labels.ToString() + " " + std::to_string(sample.value) + " @" +
                       std::to_string(sample.timestamp_ms));
    }
  }
  EXPECT_THAT(stored, testing::IsSupersetOf({
                          HasSubstr(R"(lockstep_step{)"),
                          HasSubstr("2.500000 @1700000000000"),
                          HasSubstr("2.250000 @1700000001000"),
                      }));
}

TEST_F(PushHandlersTest, WhatWasTakenIsNotTakenAgain) {
  EXPECT_EQ(Steps(kSteps, "0").status, 200);
  EXPECT_EQ(storage_.write_count, 1);
  const Response again = Steps(kSteps, "0");
  EXPECT_EQ(again.status, 200);
  EXPECT_THAT(again.body, HasSubstr(R"("accepted":0)"));
  EXPECT_EQ(storage_.write_count, 1);
  const Response gap = Steps(kSteps, "1000");
  EXPECT_EQ(gap.status, 409);
  EXPECT_THAT(gap.body, HasSubstr(R"("expected_offset":)" + std::to_string(kSteps.size())));
}

TEST_F(PushHandlersTest, WhatTheStoreDidNotTakeIsSentAgain) {
  storage_.answer = absl::UnavailableError("the disk is full");
  const Response refused = Steps(kSteps, "0");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(pusher_.stats().failed_pushes, 1u);
  storage_.answer = WriteOutcome();
  EXPECT_THAT(Steps(kSteps, "0").body, HasSubstr(R"("accepted":2)"));
  EXPECT_EQ(storage_.write_count, 2);
  EXPECT_EQ(pusher_.stats().records, 2u);
}

TEST_F(PushHandlersTest, WhatTheStoreRefusesIsToldOf) {
  WriteOutcome outcome;
  outcome.rejected.push_back({0, 2, "too old", false, LabelSet::Of({{"__name__", "loss"}})});
  storage_.answer = outcome;
  const Response response = Steps(kSteps);
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(R"("refused_samples":2)"));
  EXPECT_THAT(response.body, HasSubstr("too old"));
  EXPECT_EQ(ingester_.stats().samples, 4u);
}

TEST_F(PushHandlersTest, ValuesThatAreTooManyAreCountedAndToldOf) {
  const std::string line =
      R"({"job":"a","step":1,"time":1700000000,"loss":2.5,")" + std::string(300, 'n') + "\":1}\n";
  const Response steps = Steps(line);
  EXPECT_EQ(steps.status, 400);
  EXPECT_THAT(steps.body, HasSubstr(R"("accepted":1,)"));
  EXPECT_THAT(steps.body, HasSubstr(R"("refused_samples":1,)"));
  EXPECT_THAT(steps.body, HasSubstr("4096 values per record"));
  const Response log = Post({"/api/v1/push/log?format=jsonl", line});
  EXPECT_EQ(log.status, 200);
  EXPECT_THAT(log.body, HasSubstr(R"("refused_samples":1,)"));
  EXPECT_EQ(pusher_.stats().rejected_samples, 2u);
}

TEST_F(PushHandlersTest, TheRateLimitHoldsForStepsToo) {
  Ingester slow(storage_, {.max_samples_per_second = 1});
  push::LogPusher pusher(slow, limits_, nullptr);
  const auto post = [&] {
    Request request;
    request.target = "/api/v1/push/steps";
    request.body = kSteps;
    Response response;
    HandleStepPush(request, {pusher, limits_, 0}, [&](Response r) { response = std::move(r); });
    return response;
  };
  Response response = post();
  for (int i = 0; i < 100 && response.status == 200; ++i) response = post();
  EXPECT_EQ(response.status, 429);
  ASSERT_FALSE(response.headers.empty());
  EXPECT_EQ(response.headers[0].name, "Retry-After");
}

TEST_F(PushHandlersTest, BrokenLinesAreToldOfAndCostNoOthers) {
  const Response response = Steps(std::string(kSteps) + "{\"step\":\n");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(R"("accepted":2)"));
  EXPECT_THAT(response.body, HasSubstr(R"("rejected":[{"line":3)"));
}

TEST_F(PushHandlersTest, LogsAreSniffedAndNamedByParameters) {
  const std::string log =
      " [2026-03-02 10:00:05] iteration       10/     100 | consumed samples:          640 | "
      "elapsed time per iteration (ms): 500.0 | learning rate: 1.000000E-04 | global batch size:   "
      " "
      "64 | lm loss: 1.000000E+01 | loss scale: 1.0 | grad norm: 1.000 | number of skipped "
      "iterations:   0 | number of nan iterations:   0 |\n";
  const Response response = Post({"/api/v1/push/log?job=pretrain&rank=7", log});
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(R"("records":1)"));
  ASSERT_FALSE(storage_.last_request.series.empty());
  EXPECT_EQ(storage_.last_request.series[0].labels.Get("job"), "pretrain");
  EXPECT_EQ(storage_.last_request.series[0].labels.Get("rank"), "7");
}

// curl sends this type with --data-binary.
TEST_F(PushHandlersTest, ABodyIsNoForm) {
  const std::vector<Header> form = {{"Content-Type", "application/x-www-form-urlencoded"}};
  const Response response = Post({"/api/v1/push/log?job=a", "format=none&job=b\n", form});
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(R"("lines":1)"));
}

TEST_F(PushHandlersTest, AStreamEndsWithItsLastPush) {
  const Response response = Post({"/api/v1/push/steps?last=x", std::string(kSteps)});
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(R"(invalid parameter \"last\": )"));
  EXPECT_EQ(Post({"/api/v1/push/steps?last=true", std::string(kSteps)}).status, 200);
}

TEST_F(PushHandlersTest, CredentialsForSomeJobsPushTheirs) {
  const auto push = [this](const std::string& job) {
    Request request;
    request.method = "POST";
    request.target = "/api/v1/push/steps?stream=s";
    request.body = std::string(kSteps);
    request.grant.jobs = Matcher::Equal("job", job);
    int status = 0;
    HandleStepPush(request, {pusher_, limits_, 1'700'000'000'000},
                   [&](const Response& response) { status = response.status; });
    return status;
  };
  EXPECT_EQ(push("other"), 403);
  EXPECT_EQ(storage_.write_count, 0);
  EXPECT_EQ(push("a"), 200);
  EXPECT_GT(storage_.write_count, 0);
}

TEST_F(PushHandlersTest, BadRequestsAreRefusedWithTheReason) {
  const auto error = [&](std::string target, std::string body, std::vector<Header> headers = {}) {
    const Response response = Post({std::move(target), std::move(body), std::move(headers)});
    return std::to_string(response.status) + " " + response.body;
  };
  EXPECT_THAT(error("/api/v1/push/log?rank=x", "a"), HasSubstr("400 "));
  EXPECT_THAT(error("/api/v1/push/log?rank=x", "a"), HasSubstr("is not a whole number"));
  EXPECT_THAT(error("/api/v1/push/log?format=none", "a"), HasSubstr("400 "));
  EXPECT_THAT(error("/api/v1/push/log?offset=5", "a"), HasSubstr("requires a stream name"));
  EXPECT_THAT(error("/api/v1/push/log", "a", {{"Content-Encoding", "br"}}), HasSubstr("415 "));
  EXPECT_THAT(error("/api/v1/push/log", "a", {{"Content-Encoding", "gzip"}}), HasSubstr("400 "));
  EXPECT_THAT(error("/api/v1/push/log", std::string(10'001, 'a')), HasSubstr("413 "));
  EXPECT_EQ(storage_.write_count, 0);
}

}  // namespace
}  // namespace lockstep::api

#include "cli/client/ask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/client/fake_server_testing.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;

class AskTest : public ::testing::Test {
 protected:
  AskTest() : client_(*HttpClient::Make(server_.options())) {}

  std::string ErrorWith(const FakeServer::Reply& reply) {
    FakeServer server;
    server.Prepare("/a", reply);
    const auto client = HttpClient::Make(server.options());
    return AskForText(**client, "/a", {}).status().ToString();
  }

  FakeServer server_;
  const std::unique_ptr<HttpClient> client_;
};

TEST_F(AskTest, SendsParametersAsAForm) {
  server_.Prepare("/a", "text");
  const auto text = AskForText(*client_, "/a", {{"query", "a + b"}, {"empty", ""}, {"end", "1"}});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "text");
  EXPECT_THAT(server_.asked(), ElementsAre("POST /a query=a%20%2B%20b&end=1"));
  EXPECT_EQ(server_.requests()[0].header("content-type"), "application/x-www-form-urlencoded");
}

TEST_F(AskTest, SendsParametersInTheUrlOfAGet) {
  server_.PrepareData("/a", "[1]");
  const auto answer = AskByGet(*client_, "/a", {{"match[]", "x"}, {"end", "1"}});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(NumbersAt(answer->data(), ""), ElementsAre(1));
  EXPECT_THAT(server_.asked(), ElementsAre("GET /a?match[]=x&end=1"));
}

TEST_F(AskTest, ReadsTheDataOfAnAnswer) {
  server_.PrepareData("/a", R"({"n":2.5,"t":"x","list":[1,null,"y"]})");
  const auto answer = Ask(*client_, "/a", {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(NumberAt(answer->data(), "/n"), 2.5);
  EXPECT_EQ(TextAt(answer->data(), "/t"), "x");
  EXPECT_EQ(ListAt(answer->data(), "/list").size(), 3u);
  const std::vector<double> numbers = NumbersAt(answer->data(), "/list");
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_TRUE(std::isnan(numbers[1]));
  EXPECT_TRUE(std::isnan(numbers[2]));
}

TEST_F(AskTest, WhatIsMissingOrOfAnotherTypeIsUnknown) {
  server_.PrepareData("/a", R"({"n":1,"t":"x"})");
  const auto answer = Ask(*client_, "/a", {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(std::isnan(NumberAt(answer->data(), "/t")));
  EXPECT_TRUE(std::isnan(NumberAt(answer->data(), "/m")));
  EXPECT_EQ(TextAt(answer->data(), "/n"), "");
  EXPECT_EQ(TextAt(answer->data(), "/m"), "");
  EXPECT_TRUE(ListAt(answer->data(), "/n").empty());
  EXPECT_TRUE(NumbersAt(answer->data(), "/m").empty());
}

TEST_F(AskTest, ErrorsAreInTheServersWords) {
  EXPECT_EQ(ErrorWith({R"({"status":"error","errorType":"bad_data","error":"no such job"})", 400}),
            "FAILED_PRECONDITION: HTTP 400: bad_data: no such job");
  EXPECT_EQ(ErrorWith({"<html>", 502}),
            "DATA_LOSS: HTTP 502: the response is not a valid API response");
  EXPECT_EQ(ErrorWith({R"({"status":"success","data":1})", 500}),
            "DATA_LOSS: HTTP 500: the response is not a valid API response");
}

TEST_F(AskTest, RefusalsAreShownUpToTheirFirstLineFeed) {
  EXPECT_EQ(ErrorWith({"a token is needed\nmore", 401}),
            "PERMISSION_DENIED: HTTP 401: a token is needed");
  EXPECT_EQ(ErrorWith({"read only", 403}), "PERMISSION_DENIED: HTTP 403: read only");
}

TEST_F(AskTest, OnlyAnApiResponseIsAnAnswer) {
  EXPECT_TRUE(absl::IsDataLoss(Answer::Parse("").status()));
  EXPECT_TRUE(absl::IsDataLoss(Answer::Parse("{}").status()));
  EXPECT_TRUE(absl::IsDataLoss(Answer::Parse(R"({"status":"success"})").status()));
  EXPECT_TRUE(Answer::Parse(R"({"status":"success","data":null})").ok());
}

TEST_F(AskTest, AnAnswerCanOutliveItsText) {
  std::string json = R"({"status":"success","data":["abc"]})";
  const auto answer = Answer::Parse(json);
  json.assign(json.size(), '!');
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(TextAt(answer->data(), "/0"), "abc");
}

}  // namespace
}  // namespace lockstep::cli

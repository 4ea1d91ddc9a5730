#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "scrape/discovery/sources.h"
#include "tests/scripted_server.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(FoundTargetsTest, AGroupTakesMemoryForFourCopiesOfItsTexts) {
  FoundTargets found;
  TargetGroup group;
  group.source = std::string(1'000, 's');
  group.addresses = {std::string(10'000, 'a'), std::string(20'000, 'b')};
  group.labels = LabelSet::Of({{"name", std::string(100'000, 'l')}});
  const uint64_t label_bytes = group.labels.bytes().size();
  EXPECT_GT(label_bytes, 100'000u);
  ASSERT_TRUE(found.Add(group).ok());
  const uint64_t of_one = found.memory.bytes();
  EXPECT_EQ(of_one, 512 + 4 * (31'000 + label_bytes));
  ASSERT_TRUE(found.Add(group).ok());
  EXPECT_EQ(found.memory.bytes(), 2 * of_one);
  EXPECT_EQ(found.groups.size(), 2u);
  EXPECT_EQ(found.groups[1], group);
}

class HttpSourceTest : public testing::Test {
 protected:
  HttpDiscovery Config(milliseconds refresh_interval = milliseconds(60'000)) const {
    HttpDiscovery config;
    config.url = server_.url() + "/sd?token=hidden";
    config.refresh_interval = refresh_interval;
    return config;
  }

  ScriptedServer server_;
};

TEST_F(HttpSourceTest, TheGroupsHaveTheUrlWithoutItsSecrets) {
  server_.SetPages(
      {R"([{"targets": ["a:1", "b:1"], "labels": {"x": "y"}}, {"targets": ["c:1"]}])"});
  const auto source = MakeHttpSource(Config());
  const std::string shown = server_.url() + "/sd?token=xxxxx";
  EXPECT_EQ(source->name(), shown);
  const auto found = source->Look();
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_TRUE(found->has_value());
  const std::vector<TargetGroup>& groups = (*found)->groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].addresses, ElementsAre("a:1", "b:1"));
  EXPECT_EQ(groups[0].labels.ToString(), absl::StrFormat(R"({__meta_url="%s", x="y"})", shown));
  EXPECT_EQ(groups[0].source, shown + ":0");
  EXPECT_EQ(groups[1].labels.ToString(), absl::StrFormat(R"({__meta_url="%s"})", shown));
  // What the text and the labels of both groups take.
  EXPECT_GE((*found)->memory.bytes(), 2 * 4 * shown.size());
}

TEST_F(HttpSourceTest, TellsTheServerHowOftenItAsks) {
  server_.SetPages({"[]"});
  ASSERT_TRUE(MakeHttpSource(Config(milliseconds(1'500)))->Look().ok());
  ASSERT_EQ(server_.requests().size(), 1u);
  const std::string request = server_.requests()[0];
  EXPECT_THAT(request, StartsWith("GET /sd?token=hidden HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nX-Prometheus-Refresh-Interval-Seconds: 1.5\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAccept: application/json\r\n"));
}

TEST_F(HttpSourceTest, SaysNothingWhileTheAnswerIsTheSame) {
  server_.SetPages({"", "", "[{targets: [a]}]", "[{targets: [a]}]", "[{targets: [b]}]"});
  const auto source = MakeHttpSource(Config());
  for (const bool is_new : {true, false, true, false, true}) {
    const auto found = source->Look();
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->has_value(), is_new);
  }
}

TEST_F(HttpSourceTest, AnAnswerAfterAnErrorIsComparedWithTheLastGoodOne) {
  server_.SetAnswers({ScriptedServer::Ok("[{targets: [a]}]"),
                      AnsweringServer::Page("503 x", "[{targets: [b]}]"), ScriptedServer::Ok("[{"),
                      ScriptedServer::Ok("[{targets: [a]}]")});
  const auto source = MakeHttpSource(Config());
  ASSERT_TRUE(source->Look().ok());
  EXPECT_EQ(Message(source->Look().status()),
            "server returned HTTP status 503 Service Unavailable");
  EXPECT_EQ(source->Look().status().code(), absl::StatusCode::kInvalidArgument);
  const auto same = source->Look();
  ASSERT_TRUE(same.ok());
  EXPECT_FALSE(same->has_value());
}

TEST_F(HttpSourceTest, HoldsNoMemoryForTheAnswer) {
  server_.SetPages({"[" + std::string(100'000, ' ') + "]"});
  const auto held = [] {
    return MemoryBudget::OfProcess()
        .stats()
        .accounts[static_cast<size_t>(MemoryAccount::kScrapes)]
        .held_bytes;
  };
  const uint64_t before = held();
  const auto source = MakeHttpSource(Config());
  ASSERT_TRUE(source->Look().ok());
  EXPECT_EQ(held(), before);
}

TEST_F(HttpSourceTest, ALookUpThatIsCancelledFails) {
  server_.SetPages({"[]"});
  const auto source = MakeHttpSource(Config());
  source->Cancel();
  EXPECT_THAT(std::string(Message(source->Look().status())), HasSubstr("aborted"));
}

TEST_F(HttpSourceTest, ShowsItsCredentials) {
  server_.SetPages({"[]"});
  HttpDiscovery config = Config();
  config.http.credentials.text = "t";
  ASSERT_TRUE(MakeHttpSource(config)->Look().ok());
  EXPECT_THAT(server_.requests().at(0), HasSubstr("\r\nAuthorization: Bearer t\r\n"));
}

}  // namespace
}  // namespace lockstep::scrape

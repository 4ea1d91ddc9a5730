#include "cli/client/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "absl/strings/str_format.h"
#include "cli/client/fake_server_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::unique_ptr<HttpClient> ClientOf(const HttpClientOptions& options) {
  auto client = HttpClient::Make(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

TEST(HttpClientTest, PostsABodyWithItsHeaders) {
  FakeServer server;
  server.Prepare(
      "/write",
      FakeServer::Reply{"stored", 201, {{"Retry-After", " 7 "}, {"X-Lockstep-Samples", "a=1"}}});
  const auto reply =
      ClientOf(server.options())->Post("/write", {"Content-Type: text/x-own"}, "some bytes");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, 201);
  EXPECT_EQ(reply->body, "stored");
  EXPECT_EQ(reply->retry_after, "7");
  EXPECT_EQ(reply->samples, "a=1");
  const std::vector<api::Request> requests = server.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].target, "/write");
  EXPECT_EQ(requests[0].body, "some bytes");
  EXPECT_EQ(requests[0].header("Content-Type"), "text/x-own");
  EXPECT_EQ(requests[0].header("User-Agent"), "lockstep");
  EXPECT_EQ(requests[0].header("Expect"), "");
}

TEST(HttpClientTest, GetsAfterAPostSendNoBody) {
  FakeServer server;
  server.Prepare("/a", "one");
  const auto client = ClientOf(server.options());
  ASSERT_TRUE(client->Post("/a", {}, "body").ok());
  ASSERT_TRUE(client->Get("/a").ok());
  ASSERT_TRUE(client->Post("/a", {}, "again").ok());
  EXPECT_THAT(server.asked(), ElementsAre("POST /a body", "GET /a", "POST /a again"));
}

TEST(HttpClientTest, SlashesAtTheEndOfTheUrlDoNotCount) {
  FakeServer server;
  server.Prepare("/a", "one");
  HttpClientOptions options = server.options();
  options.url += "//";
  const auto reply = ClientOf(options)->Get("/a");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_THAT(server.asked(), ElementsAre("GET /a"));
}

TEST(HttpClientTest, HandsOverTheBodyOfASuccessPieceByPiece) {
  FakeServer server;
  const std::string big(300'000, 'x');
  server.Prepare("/a", FakeServer::Reply{big, 200, {}, "text/x-own"});
  std::string taken, type;
  const auto reply =
      ClientOf(server.options())
          ->Post("/a", {}, "", [&](std::string_view content_type, std::string_view bytes) {
            type = std::string(content_type);
            taken += bytes;
            return true;
          });
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(taken, big);
  EXPECT_EQ(type, "text/x-own");
  EXPECT_EQ(reply->body, "");
}

TEST(HttpClientTest, KeepsTheBodyOfAnErrorForItself) {
  FakeServer server;
  server.Prepare("/a", FakeServer::Reply{"too many", 429});
  bool was_called = false;
  const auto reply =
      ClientOf(server.options())->Post("/a", {}, "", [&](std::string_view, std::string_view) {
        was_called = true;
        return true;
      });
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_FALSE(was_called);
  EXPECT_EQ(reply->status, 429);
  EXPECT_EQ(reply->body, "too many");
}

TEST(HttpClientTest, AReaderCanStopTheResponse) {
  FakeServer server;
  server.Prepare("/a", "body");
  const auto reply =
      ClientOf(server.options())->Post("/a", {}, "", [](std::string_view, std::string_view) {
        return false;
      });
  EXPECT_TRUE(absl::IsUnavailable(reply.status())) << reply.status();
}

TEST(HttpClientTest, SendsAUserAndAPassword) {
  FakeServer server;
  server.Prepare("/a", "");
  HttpClientOptions options = server.options();
  options.user = "ann:secret";
  ASSERT_TRUE(ClientOf(options)->Get("/a").ok());
  // The base64 of "ann:secret".
  EXPECT_EQ(server.requests().at(0).header("Authorization"), "Basic YW5uOnNlY3JldA==");
}

TEST(HttpClientTest, SendsTheTokenOfAFile) {
  FakeServer server;
  server.Prepare("/a", "");
  const TestFolder folder;
  HttpClientOptions options = server.options();
  options.token_file = folder.Write("token", " t0ken\n");
  ASSERT_TRUE(ClientOf(options)->Get("/a").ok());
  EXPECT_EQ(server.requests().at(0).header("Authorization"), "Bearer t0ken");
}

TEST(HttpClientTest, SendsNoCredentialsUnlessGiven) {
  FakeServer server;
  server.Prepare("/a", "");
  ASSERT_TRUE(ClientOf(server.options())->Get("/a").ok());
  EXPECT_EQ(server.requests().at(0).header("Authorization"), "");
}

TEST(HttpClientTest, ATokenFileMustBeReadable) {
  HttpClientOptions options;
  options.token_file = "/does/not/exist";
  const absl::Status status = HttpClient::Make(options).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(Message(status), "cannot read \"/does/not/exist\"");
}

// Nothing listens where a server was until now.
TEST(HttpClientTest, AdvisesIfThereIsNoServer) {
  HttpClientOptions options;
  {
    const FakeServer server;
    options = server.options();
  }
  std::string message = std::string(Message(ClientOf(options)->Get("/a").status()));
  EXPECT_THAT(message, StartsWith(absl::StrFormat("no answer from %s: ", options.url)));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr(";")));
  options.advice = "start one";
  message = std::string(Message(ClientOf(options)->Get("/a").status()));
  EXPECT_THAT(message, testing::EndsWith("; start one"));
}

TEST(HttpClientTest, OnlySpeaksHttp) {
  HttpClientOptions options;
  options.url = "file:///etc";
  const absl::Status status = ClientOf(options)->Get("/hostname").status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(Message(status)), testing::HasSubstr("file"));
}

TEST(HttpClientTest, NoProxyStandsBetweenThisMachineAndItself) {
  FakeServer server;
  server.Prepare("/a", "direct");
  // Nothing listens on port 1 of a local address.
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  const auto reply = ClientOf(server.options())->Get("/a");
  HttpClientOptions with_name = server.options();
  with_name.url.replace(with_name.url.find("127.0.0.1"), 9, "localhost");
  const auto by_name = ClientOf(with_name)->Get("/a");
  // A host elsewhere is asked through the proxy.
  HttpClientOptions elsewhere;
  elsewhere.url = "http://lockstep.invalid";
  const absl::Status refused = ClientOf(elsewhere)->Get("/a").status();
  unsetenv("http_proxy");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->body, "direct");
  EXPECT_TRUE(by_name.ok()) << by_name.status();
  EXPECT_THAT(std::string(Message(refused)), testing::HasSubstr("127.0.0.1"));
}

TEST(HttpClientTest, AuthoritiesMustBeReadable) {
  HttpClientOptions options;
  options.url = "https://127.0.0.1:1";
  options.ca_file = "/does/not/exist";
  EXPECT_TRUE(absl::IsUnavailable(ClientOf(options)->Get("/a").status()));
}

}  // namespace
}  // namespace lockstep::cli

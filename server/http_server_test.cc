#include "server/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <future>
#include <map>
#include <thread>

#include "absl/strings/str_format.h"
#include "server/http_server_fixture.h"
#include "server/socket/raw_client.h"

namespace lockstep::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

TEST_F(HttpServerTest, AnswersAndKeepsTheConnection) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /echo?a=b HTTP/1.1\r\nHost: x\r\n\r\n");
  RawResponse response = client.Receive();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "GET /echo?a=b ");
  EXPECT_THAT(response.head, HasSubstr("Connection: keep-alive\r\n"));
  EXPECT_THAT(response.head, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(client.Receive().body, "POST /echo abc");
}

TEST_F(HttpServerTest, ClosesWhenAskedTo) {
  Start();
  for (const char* request : {"GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                              "GET /echo HTTP/1.0\r\n\r\n"}) {
    RawClient client(server_->url());
    client.Send(request);
    EXPECT_THAT(client.Receive().head, HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(client.AtEnd());
  }
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  Start();
  RawClient client(server_->url());
  std::string requests = "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n";
  for (int i = 0; i < 500; ++i) {
    requests += absl::StrFormat(
        "POST /echo?%d HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n%02d", i, i % 100);
  }
  client.Send(requests);
  handler_.AwaitHeld(1);
  handler_.ReleaseAll();
  EXPECT_EQ(client.Receive().body, "released");
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(client.Receive().body, absl::StrFormat("POST /echo?%d %02d", i, i % 100));
  }
}

TEST_F(HttpServerTest, AnswersEveryPipelinedRequestOfAClientThatClosedItsSide) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /echo?1 HTTP/1.1\r\nHost: x\r\n\r\nGET /echo?2 HTTP/1.1\r\nHost: x\r\n\r\n");
  client.FinishSending();
  EXPECT_EQ(client.Receive().body, "GET /echo?1 ");
  EXPECT_EQ(client.Receive().body, "GET /echo?2 ");
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(HttpServerTest, ReadsChunkedBodiesInAnyPieces) {
  Start();
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nTrailer: x\r\n\r\n";
  EXPECT_EQ(Ask(request).body, "POST /echo abcde");
  RawClient client(server_->url());
  for (const char byte : request) client.Send({&byte, 1});
  EXPECT_EQ(client.Receive().body, "POST /echo abcde");
}

TEST_F(HttpServerTest, HeadHasTheLengthButNotTheBody) {
  Start();
  RawClient client(server_->url());
  client.Send("HEAD /big HTTP/1.1\r\nHost: x\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Receive(true).head, HasSubstr("Content-Length: 100000\r\n"));
  EXPECT_EQ(client.Receive().body, "GET /echo ");
}

TEST_F(HttpServerTest, AnswersOptionsAndCors) {
  options_.cors_origin = "https?://(a|b)\\.example";
  Start();
  RawResponse response =
      Ask("OPTIONS /echo HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\n\r\n");
  EXPECT_EQ(response.status, 204);
  EXPECT_THAT(response.head, HasSubstr("Allow: GET, HEAD, POST, OPTIONS\r\n"));
  EXPECT_THAT(response.head, HasSubstr("Access-Control-Allow-Origin: http://a.example\r\n"));
  response = Ask("GET /echo HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\n\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.head, Not(HasSubstr("Access-Control-Allow-Origin")));
}

std::string Inflate(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 32), Z_OK);  // either framing
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST_F(HttpServerTest, CompressesLargeAnswersOnRequest) {
  Start();
  for (const std::string coding : {"gzip", "deflate"}) {
    const RawResponse response =
        Ask(absl::StrFormat("GET /big HTTP/1.1\r\nHost: x\r\nAccept-Encoding: %s\r\n\r\n", coding));
    EXPECT_THAT(response.head, HasSubstr("Content-Encoding: " + coding + "\r\n"));
    EXPECT_LT(response.body.size(), 1000u);
    EXPECT_EQ(Inflate(response.body), std::string(100'000, 'a'));
  }
  const RawResponse small = Ask("GET /echo HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_EQ(small.body, "GET /echo ");
}

TEST_F(HttpServerTest, SendsABodyInParts) {
  Start();
  RawClient client(server_->url());
  for (int i = 0; i < 3; ++i) {
    client.Send("GET /parts HTTP/1.1\r\nHost: x\r\n\r\n");
    const RawResponse response = client.Receive();
    EXPECT_EQ(response.status, 200);
    EXPECT_THAT(response.head, Not(HasSubstr("Content-Length")));
    EXPECT_EQ(response.body, Parts::Text(9));
  }
  client.Send("HEAD /parts HTTP/1.1\r\nHost: x\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Receive(true).head, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.Receive().body, "GET /echo ");
  EXPECT_FALSE(handler_.place_taken());
}

TEST_F(HttpServerTest, ABodyInPartsIsCompressedAsItComes) {
  Start();
  for (const char* coding : {"gzip", "deflate"}) {
    const RawResponse response = Ask(
        absl::StrFormat("GET /parts HTTP/1.1\r\nHost: x\r\nAccept-Encoding: %s\r\n\r\n", coding));
    EXPECT_LT(response.body.size(), 10'000u);
    EXPECT_EQ(Inflate(response.body), Parts::Text(9));
  }
}

TEST_F(HttpServerTest, ABodyInPartsEndsWithTheConnectionOfAnOldClient) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /parts HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string all = client.ReceiveAll();
  const size_t body_at = all.find("\r\n\r\n") + 4;
  EXPECT_THAT(all.substr(0, body_at), HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(all.substr(0, body_at), Not(HasSubstr("Transfer-Encoding")));
  EXPECT_EQ(all.substr(body_at), Parts::Text(9));
}

TEST_F(HttpServerTest, ABodyThatCannotBeMadeToItsEndIsCutOff) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /parts_cut HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string all = client.ReceiveAll();
  EXPECT_THAT(all, HasSubstr(std::string(100'000, 'b')));
  EXPECT_THAT(all, Not(HasSubstr("0\r\n\r\n")));
}

TEST_F(HttpServerTest, ABodyInPartsIsMadeAsItsClientTakesIt) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /parts_endless HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReceiveSome(50'000'000).size(), 50'000'000u);
  EXPECT_TRUE(handler_.place_taken());
  client.Close();
  while (handler_.place_taken()) std::this_thread::yield();
}

TEST_F(HttpServerTest, ShutdownCutsABodyInPartsThatTakesTooLong) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /parts_endless HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReceiveSome(1000).size(), 1000u);
  EXPECT_FALSE(server_->Shutdown(milliseconds(0)));
  EXPECT_FALSE(handler_.place_taken());
}

TEST_F(HttpServerTest, SaysContinueBeforeTheBody) {
  Start();
  RawClient client(server_->url());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 100);
  client.Send("abc");
  EXPECT_EQ(client.Receive().body, "POST /echo abc");
}

TEST_F(HttpServerTest, RefusesWhatIsNoHttpOrTooMuch) {
  options_.limits.max_body_bytes = 1000;
  Start();
  const std::string long_value(70'000, 'v');
  const std::map<std::string, int> cases = {
      {"nonsense\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\n\r\n", 400},  // no Host
      {"GET /echo HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
      {"GET /echo HTTP/2.0\r\nHost: x\r\n\r\n", 505},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
      {"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
       "Transfer-Encoding: chunked\r\n\r\n",
       400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", 413},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", 400},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", 413},
      {"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
      {"GET /" + long_value + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
      {"GET / HTTP/1.1\r\nHost: x\r\nLong: " + long_value + "\r\n\r\n", 431},
  };
  for (const auto& [request, status] : cases) {
    RawClient client(server_->url());
    client.Send(request);
    const RawResponse response = client.Receive();
    EXPECT_EQ(response.status, status) << request.substr(0, 100);
    EXPECT_THAT(response.head, HasSubstr("Connection: close\r\n"));
    EXPECT_NE(response.body, "") << request.substr(0, 100);
    EXPECT_TRUE(client.AtEnd());
  }
  EXPECT_EQ(
      Ask("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'b'))
          .status,
      200);
}

TEST_F(HttpServerTest, AllBodiesTogetherAreBounded) {
  options_.limits.max_body_bytes_in_flight = 1000;
  Start();
  RawClient first(server_->url());
  first.Send("POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n" +
             std::string(600, 'b'));
  handler_.AwaitHeld(1);
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n" + std::string(600, 'b');
  const RawResponse refused = Ask(request);
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.head, HasSubstr("Retry-After: "));
  handler_.ReleaseAll();
  EXPECT_EQ(first.Receive().status, 200);
  EXPECT_EQ(Ask(request).status, 200);
}

TEST_F(HttpServerTest, CutsOffClientsThatAreTooSlow) {
  options_.limits.head_timeout = milliseconds(50);
  options_.limits.body_timeout = milliseconds(50);
  options_.limits.idle_timeout = milliseconds(50);
  Start();
  EXPECT_EQ(Ask("GET /echo HTTP/1.1\r\nHos").status, 408);
  EXPECT_EQ(Ask("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na").status, 408);
  RawClient idle(server_->url());
  EXPECT_TRUE(idle.AtEnd());
}

TEST_F(HttpServerTest, CutsOffClientsThatDoNotReadTheirAnswer) {
  options_.limits.slow_transfer_timeout = milliseconds(50);
  Start();
  RawClient client(server_->url());
  client.Send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
  handler_.AwaitHeld(1);
  handler_.ReleaseAll(std::string(64 << 20, 'a'));
  // A connection that could not be closed would use up all of the patience.
  EXPECT_TRUE(server_->Shutdown(milliseconds(30'000)));
  EXPECT_EQ(client.Receive().status, 0);
}

TEST_F(HttpServerTest, ServesManyConnectionsAtOnce) {
  Start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 300; ++i) clients.push_back(std::make_unique<RawClient>(server_->url()));
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < clients.size(); ++i) {
      clients[i]->Send(absl::StrFormat("GET /echo?%d HTTP/1.1\r\nHost: x\r\n\r\n", i));
    }
    for (size_t i = 0; i < clients.size(); ++i) {
      EXPECT_EQ(clients[i]->Receive().body, absl::StrFormat("GET /echo?%d ", i));
    }
  }
}

TEST_F(HttpServerTest, RefusesRequestsThatFindNoWorker) {
  options_.worker_threads = 0;
  options_.limits.max_queued_requests = 0;
  Start();
  const RawResponse response = Ask("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.head, HasSubstr("Retry-After: "));
  EXPECT_EQ(server_->stats().overload_refusals, 1u);
}

TEST_F(HttpServerTest, WhatOnlyQueuesNeedsNoWorker) {
  options_.worker_threads = 0;
  options_.limits.max_queued_requests = 0;
  Start();
  RawClient client(server_->url());
  for (int i = 0; i < 3; ++i) {
    client.Send("GET /queue HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.Receive().body, "GET /queue ");
  }
}

TEST_F(HttpServerTest, AHandlerThatForgetsItsRequestGetsAnErrorSent) {
  Start();
  EXPECT_EQ(Ask("GET /drop HTTP/1.1\r\nHost: x\r\n\r\n").status, 500);
}

TEST_F(HttpServerTest, CancelsWhenTheClientHangsUp) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
  handler_.AwaitHeld(1);
  client.Close();
  handler_.AwaitCancelled();
  handler_.ReleaseAll();
  EXPECT_EQ(server_->stats().abandoned_requests, 1u);
}

TEST_F(HttpServerTest, ShutdownLetsRequestsFinish) {
  Start();
  RawClient busy(server_->url());
  RawClient idle(server_->url());
  idle.Send("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(idle.Receive().status, 200);
  busy.Send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
  handler_.AwaitHeld(1);
  std::future<bool> clean =
      std::async(std::launch::async, [&] { return server_->Shutdown(milliseconds(30'000)); });
  EXPECT_TRUE(idle.AtEnd());
  handler_.ReleaseAll();
  EXPECT_EQ(busy.Receive().body, "released");
  EXPECT_TRUE(busy.AtEnd());
  busy.Close();
  EXPECT_TRUE(clean.get());
}

TEST_F(HttpServerTest, ShutdownCancelsWhatTakesTooLong) {
  Start();
  RawClient client(server_->url());
  client.Send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
  handler_.AwaitHeld(1);
  std::thread releaser([&] {
    handler_.AwaitCancelled();
    handler_.ReleaseAll();
  });
  EXPECT_FALSE(server_->Shutdown(milliseconds(0)));
  releaser.join();
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(HttpServerTest, AsksForCredentialsBeforeItReadsTheBody) {
  BearerToken token{"test", {}};
  token.digest.fill(1);
  options_.web.tokens = {token};
  Start();
  const RawResponse response =
      Ask("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(response.status, 401);
  EXPECT_THAT(response.head, HasSubstr("WWW-Authenticate: Bearer\r\n"));
}

TEST_F(HttpServerTest, GivesEachCredentialWhatItsRolesAllow) {
  options_.web.has_roles = true;
  options_.web.tokens = {TokenOf("reader", {api::Role::kRead}),
                         TokenOf("writer", {api::Role::kWrite}),
                         TokenOf("boss", {api::Role::kAdmin}), TokenOf("none", {})};
  Start();
  const auto status = [this](std::string_view method, std::string_view path,
                             std::string_view token) {
    return Ask(WithToken(method, path, token)).status;
  };
  for (const char* token : {"", "wrong", "reader", "none"}) {
    EXPECT_EQ(status("GET", "/health", token), 200) << token;
  }
  EXPECT_EQ(status("GET", "/echo", ""), 401);
  EXPECT_EQ(status("GET", "/echo", "wrong"), 401);
  EXPECT_EQ(status("GET", "/echo", "reader"), 200);
  EXPECT_EQ(status("GET", "/echo?a", "boss"), 200);
  EXPECT_EQ(status("GET", "/echo", "none"), 403);
  EXPECT_EQ(status("POST", "/write?x=/health", "writer"), 200);
  EXPECT_EQ(status("POST", "/write?x=/health", "reader"), 403);
  EXPECT_THAT(Ask(WithToken("GET", "/echo", "writer")).body,
              HasSubstr("does not have the role read"));
}

TEST_F(HttpServerTest, TakesOtherCredentialsAndHeadersWhenItIsReloaded) {
  options_.web.tokens = {TokenOf("old", {api::Role::kAdmin})};
  Start();
  EXPECT_EQ(Ask(WithToken("GET", "/echo", "old")).status, 200);
  WebConfig web;
  web.tokens = {TokenOf("new", {api::Role::kAdmin})};
  web.headers = {{"X-Frame-Options", "deny"}};
  ASSERT_TRUE(server_->Reload(web).ok());
  EXPECT_EQ(Ask(WithToken("GET", "/echo", "old")).status, 401);
  const RawResponse response = Ask(WithToken("GET", "/echo", "new"));
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.head, HasSubstr("X-Frame-Options: deny\r\n"));
  web.tls.emplace();
  EXPECT_FALSE(server_->Reload(web).ok());
  EXPECT_EQ(Ask(WithToken("GET", "/echo", "new")).status, 200);
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  Start();
  HttpServerOptions second;
  second.port = static_cast<uint16_t>(std::stoi(server_->url().substr(17)));
  EXPECT_THAT(HttpServer::Start(second, handler_).status().ToString(),
              HasSubstr("cannot listen on 127.0.0.1 port"));
  second.host = "not-an-address";
  EXPECT_THAT(HttpServer::Start(second, handler_).status().ToString(),
              HasSubstr("\"not-an-address\" is not an IP address"));
}

// So that every handler answers HEAD as it answers GET: "GET /echo " has ten bytes.
TEST_F(HttpServerTest, AHandlerIsAskedForHeadAsForGet) {
  Start();
  RawClient client(server_->url());
  client.Send("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Receive(true).head, HasSubstr("Content-Length: 10\r\n"));
}

}  // namespace
}  // namespace lockstep::server

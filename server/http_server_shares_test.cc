#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "server/http_server_fixture.h"

namespace lockstep::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

using HttpServerSharesTest = HttpServerTest;

constexpr std::string_view kEcho = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kHold = "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n";

TEST_F(HttpServerSharesTest, ClosesTheConnectionThatWaitsLongestForAnother) {
  options_.limits.max_connections = 4;
  // Otherwise the first could start waiting after the second.
  options_.io_threads = 1;
  Start();
  RawClient first(server_->url());
  RawClient second(server_->url());
  for (RawClient* client : {&first, &second}) {
    client->Send(kEcho);
    EXPECT_EQ(client->Receive().status, 200);
  }
  RawClient third(server_->url());
  third.Send(kEcho);
  EXPECT_EQ(third.Receive().status, 200);
  EXPECT_TRUE(first.AtEnd());
  second.Send(kEcho);
  EXPECT_EQ(second.Receive().status, 200);
  EXPECT_EQ(server_->stats().displaced_connections, 1u);
  EXPECT_EQ(server_->stats().refused_connections, 0u);
}

TEST_F(HttpServerSharesTest, ConnectionsWithoutACompleteRequestMakeRoom) {
  options_.limits.max_connections = 4;
  Start();
  RawClient silent(server_->url());
  RawClient slow(server_->url());
  slow.Send("GET /echo HTTP/1.1\r\nHos");
  RawClient third(server_->url());
  RawClient fourth(server_->url());
  for (RawClient* client : {&third, &fourth}) {
    client->Send(kEcho);
    EXPECT_EQ(client->Receive().status, 200);
  }
  EXPECT_TRUE(silent.AtEnd());
  EXPECT_TRUE(slow.AtEnd());
  EXPECT_EQ(server_->stats().displaced_connections, 2u);
}

TEST_F(HttpServerSharesTest, AFewConnectionsAreReservedForProbes) {
  options_.limits.max_connections = 2;
  Start();
  RawClient busy(server_->url());
  busy.Send(kHold);
  handler_.AwaitHeld(1);
  for (const char* path : {"/-/healthy", "/-/ready?x", "/metrics"}) {
    RawClient probe(server_->url());
    probe.Send(absl::StrFormat("GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path));
    const RawResponse answer = probe.Receive();
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(probe.AtEnd());
  }
  const RawResponse refused = Ask("GET /-/healthy/not HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.head, HasSubstr("Retry-After: "));
  EXPECT_THAT(refused.body, HasSubstr("web.max-connections"));
  EXPECT_EQ(server_->stats().refused_connections, 1u);
  handler_.ReleaseAll();
  EXPECT_EQ(busy.Receive().body, "released");
}

TEST_F(HttpServerSharesTest, RefusesConnectionsOverTheLimit) {
  options_.limits.max_connections = 2;
  options_.limits.max_reserved_connections = 0;
  Start();
  RawClient busy(server_->url());
  busy.Send(kHold);
  handler_.AwaitHeld(1);
  RawClient second(server_->url());
  const RawResponse refused = second.Receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.head, HasSubstr("Retry-After: "));
  EXPECT_THAT(refused.body, HasSubstr("web.max-connections"));
  EXPECT_TRUE(second.AtEnd());
  EXPECT_EQ(server_->stats().refused_connections, 1u);
  handler_.ReleaseAll();
  EXPECT_EQ(busy.Receive().body, "released");
}

TEST_F(HttpServerSharesTest, AWorkerIsReservedForProbes) {
  options_.worker_threads = 0;
  options_.limits.max_queued_requests = 0;
  Start();
  EXPECT_EQ(Ask(kEcho).status, 503);
  EXPECT_EQ(Ask("GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
}

TEST_F(HttpServerSharesTest, TheFirstRequestIsNotWaitedForForLong) {
  options_.limits.first_request_timeout = milliseconds(50);
  options_.web.tokens = {TokenOf("good", {api::Role::kAdmin})};
  Start();
  RawClient let_in(server_->url());
  let_in.Send(WithToken("GET", "/echo", "good"));
  EXPECT_EQ(let_in.Receive().status, 200);
  RawClient silent(server_->url());
  EXPECT_TRUE(silent.AtEnd());
  RawClient denied(server_->url());
  denied.Send(WithToken("GET", "/echo", "bad"));
  EXPECT_EQ(denied.Receive().status, 401);
  EXPECT_TRUE(denied.AtEnd());
  let_in.Send(WithToken("GET", "/echo", "good"));
  EXPECT_EQ(let_in.Receive().status, 200);
}

TEST_F(HttpServerSharesTest, CutsOffABodyThatComesSlowly) {
  options_.limits.slow_transfer_timeout = milliseconds(50);
  Start();
  RawClient client(server_->url());
  const std::string body(100'000, 'b');
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + body);
  EXPECT_EQ(client.Receive().status, 200);
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nb");
  const RawResponse answer = client.Receive();
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, HasSubstr("web.min-transfer-rate"));
  EXPECT_TRUE(client.AtEnd());
  EXPECT_EQ(server_->stats().body_bytes_held, 0u);
}

// A POST to /hold with a body of this size.
std::string HeldBody(size_t bytes) {
  return absl::StrFormat("POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", bytes,
                         std::string(bytes, 'b'));
}

TEST_F(HttpServerSharesTest, BodiesOfOneClientHoldNoMoreThanItsShare) {
  options_.limits.max_body_bytes_in_flight = 16 << 20;
  Start();
  RawClient first(server_->url());
  first.Send(HeldBody(7 << 20));
  handler_.AwaitHeld(1);
  const RawResponse refused = Ask(HeldBody(2 << 20));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.head, HasSubstr("Retry-After: "));
  EXPECT_THAT(refused.body, HasSubstr("this client's requests"));
  // Small ones still pass.
  RawClient small(server_->url());
  small.Send(HeldBody(1 << 20));
  handler_.AwaitHeld(2);
  handler_.ReleaseAll();
  EXPECT_EQ(first.Receive().status, 200);
  EXPECT_EQ(small.Receive().status, 200);
  EXPECT_EQ(server_->stats().body_bytes_held, 0u);
}

}  // namespace
}  // namespace lockstep::server

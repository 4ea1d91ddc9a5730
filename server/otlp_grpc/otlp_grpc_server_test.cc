#include "server/otlp_grpc/otlp_grpc_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ingest/otlp/export_response.h"
#include "server/otlp_grpc/grpc_status.h"
#include "server/otlp_grpc/grpc_test_client.h"

namespace lockstep::server {
namespace {

using testing::HasSubstr;

using std::chrono::milliseconds;

// The code on the wire.
int Number(GrpcCode code) { return static_cast<int>(code); }

GrpcRequest RequestWith(std::string_view message) {
  GrpcRequest request;
  request.data = GrpcData(message);
  return request;
}

// The same with a credential.
GrpcRequest RequestAs(const std::string& authorization) {
  GrpcRequest request = RequestWith("");
  request.fields["authorization"] = authorization;
  return request;
}

// The only token is "open sesame".
WebConfig WithToken() {
  const auto web = ParseWebConfig(
      "lockstep_bearer_tokens:\n"
      "  trainer:\n"
      "    sha256: 41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb\n",
      "web.yml");
  EXPECT_TRUE(web.ok()) << web.status();
  return *web;
}

// Responds as set by the test, and remembers the request.
class ScriptedHandler : public api::Handler {
 public:
  void Handle(api::Request request, api::Respond respond) override {
    MutexLock lock(mutex_);
    request_ = std::move(request);
    if (held_ != nullptr) {
      held_->set_value(std::move(respond));
      return;
    }
    api::Response response;
    response.status = status;
    response.content_type = "application/x-protobuf";
    response.body = body;
    response.headers = headers;
    respond(std::move(response));
  }
  api::Role RoleFor(std::string_view, std::string_view) const override { return api::Role::kWrite; }
  const api::Request& request() const { return request_; }
  // The next request is answered by the holder of `held`.
  void Hold(std::promise<api::Respond>& held) { held_ = &held; }

  int status = 200;
  std::string body = "taken";
  std::vector<api::Header> headers;

 private:
  Mutex mutex_;
  api::Request request_;
  std::promise<api::Respond>* held_ = nullptr;
};

class OtlpGrpcServerTest : public testing::Test {
 protected:
  void Start(OtlpGrpcOptions options = {}) {
    options.port = 0;
    auto started = OtlpGrpcServer::Start(options, handler_);
    ASSERT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
    client_ = std::make_unique<GrpcTestClient>(server_->address());
  }

  GrpcReply Send(std::string_view message) { return client_->Call(RequestWith(message)); }

  ScriptedHandler handler_;
  std::unique_ptr<OtlpGrpcServer> server_;
  std::unique_ptr<GrpcTestClient> client_;
};

TEST_F(OtlpGrpcServerTest, HandsTheMessageOverAndTheAnswerBack) {
  Start();
  const GrpcReply reply = Send("points");
  EXPECT_EQ(reply.status(), 0) << reply.message();
  EXPECT_EQ(reply.fields.at(":status"), "200");
  EXPECT_EQ(reply.fields.at("content-type"), "application/grpc");
  EXPECT_EQ(reply.body, GrpcData("taken"));
  const api::Request& request = handler_.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path(), "/v1/metrics");
  EXPECT_EQ(request.header("Content-Type"), "application/x-protobuf");
  EXPECT_EQ(request.header("Content-Encoding"), "");
  EXPECT_EQ(request.body, "points");
  EXPECT_THAT(request.remote_address, testing::StartsWith("127.0.0.1:"));
  EXPECT_EQ(Send("").status(), 0);
  const OtlpGrpcStats stats = server_->stats();
  EXPECT_EQ(stats.calls, (std::map<std::string, uint64_t>{{"OK", 2}}));
  EXPECT_EQ(stats.received_bytes, 6u);
  EXPECT_EQ(stats.open_connections, 1u);
}

TEST_F(OtlpGrpcServerTest, TakesMessagesOfManyFramesAndAnswersWithThem) {
  Start();
  std::string message;
  for (int i = 0; message.size() < 5'000'000; ++i) message += std::to_string(i);
  handler_.body = message;
  const GrpcReply reply = Send(message);
  EXPECT_EQ(reply.status(), 0) << reply.message();
  EXPECT_TRUE(reply.body == GrpcData(message));
  EXPECT_TRUE(handler_.request().body == message);
}

TEST_F(OtlpGrpcServerTest, LeavesCompressedMessagesAsTheyAre) {
  Start();
  for (const std::string encoding : {"gzip", "deflate", "zstd"}) {
    GrpcRequest request;
    request.data = GrpcData("packed", true);
    request.fields["grpc-encoding"] = encoding;
    EXPECT_EQ(client_->Call(request).status(), 0);
    EXPECT_EQ(handler_.request().header("Content-Encoding"), encoding);
    EXPECT_EQ(handler_.request().body, "packed");
    // The encoding only applies to messages marked as compressed.
    request.data = GrpcData("plain");
    EXPECT_EQ(client_->Call(request).status(), 0);
    EXPECT_EQ(handler_.request().header("Content-Encoding"), "");
  }
}

TEST_F(OtlpGrpcServerTest, RefusesEncodingsThatItCannotRead) {
  Start();
  GrpcRequest request;
  request.data = GrpcData("packed", true);
  EXPECT_EQ(client_->Call(request).status(), Number(GrpcCode::kInternal));
  request.fields["grpc-encoding"] = "identity";
  EXPECT_EQ(client_->Call(request).status(), Number(GrpcCode::kInternal));
  request.fields["grpc-encoding"] = "snappy";
  const GrpcReply reply = client_->Call(request);
  EXPECT_EQ(reply.status(), Number(GrpcCode::kUnimplemented));
  EXPECT_THAT(reply.fields.at("grpc-accept-encoding"), HasSubstr("gzip"));
  request.fields["grpc-encoding"] = std::string(10'000, 'x');
  EXPECT_LT(client_->Call(request).message().size(), 100u);
  request.data[0] = 2;
  EXPECT_EQ(client_->Call(request).status(), Number(GrpcCode::kInternal));
}

TEST_F(OtlpGrpcServerTest, SaysWhatWentWrongAndWhetherToComeAgain) {
  Start();
  struct Row {
    int http_status;
    std::string retry_after;
    GrpcCode code;
  };
  for (const Row& row :
       {Row{400, "", GrpcCode::kInvalidArgument}, Row{403, "", GrpcCode::kPermissionDenied},
        Row{413, "", GrpcCode::kResourceExhausted}, Row{429, "7", GrpcCode::kResourceExhausted},
        Row{500, "", GrpcCode::kInternal}, Row{503, "5", GrpcCode::kUnavailable}}) {
    handler_.status = row.http_status;
    handler_.body = otlp::StatusResponse(otlp::Encoding::kProtobuf, 2, "be\xc3\xa9 50%\n");
    handler_.headers.clear();
    if (!row.retry_after.empty()) handler_.headers.push_back({"Retry-After", row.retry_after});
    const GrpcReply reply = Send("points");
    EXPECT_EQ(reply.status(), Number(row.code)) << row.http_status;
    EXPECT_EQ(reply.message(), "be%C3%A9 50%25%0A");
    EXPECT_EQ(reply.details(), row.retry_after.empty()
                                   ? ""
                                   : otlp::StatusWithRetryInfo(Number(row.code), "be\xc3\xa9 50%\n",
                                                               std::stoi(row.retry_after)));
  }
}

TEST_F(OtlpGrpcServerTest, HasNoOtherServices) {
  Start();
  GrpcRequest request = RequestWith("");
  request.path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  const GrpcReply reply = client_->Call(request);
  EXPECT_EQ(reply.status(), Number(GrpcCode::kUnimplemented));
  EXPECT_THAT(reply.message(), HasSubstr("TraceService"));
}

TEST_F(OtlpGrpcServerTest, AnswersWhatIsNoGrpcInHttp) {
  Start();
  GrpcRequest request = RequestWith("");
  request.fields["content-type"] = "application/json";
  EXPECT_EQ(client_->Call(request).fields.at(":status"), "415");
  request.method = "PUT";
  EXPECT_EQ(client_->Call(request).fields.at(":status"), "405");
  request = RequestWith("");
  request.fields["content-type"] = "application/grpc+proto";
  request.fields["grpc-timeout"] = "10S";
  EXPECT_EQ(client_->Call(request).status(), 0);
}

TEST_F(OtlpGrpcServerTest, LetsInWhoHasAToken) {
  OtlpGrpcOptions options;
  options.web = WithToken();
  Start(std::move(options));
  EXPECT_EQ(Send("").status(), Number(GrpcCode::kUnauthenticated));
  EXPECT_EQ(client_->Call(RequestAs("Bearer other")).status(), Number(GrpcCode::kUnauthenticated));
  EXPECT_EQ(client_->Call(RequestAs("Bearer open sesame")).status(), 0);
  EXPECT_EQ(handler_.request().user, "trainer");
}

TEST_F(OtlpGrpcServerTest, WaitsForPasswordsToBeChecked) {
  OtlpGrpcOptions options;
  // The hash of "test" from Prometheus' documentation.
  const auto web = ParseWebConfig(
      "basic_auth_users:\n"
      "  admin: $2b$12$hNf2lSsxfm0.i4a.1kVpSOVyBCfIB51VRjgBUyv6kdnyTlgWj81Ay\n",
      "web.yml");
  ASSERT_TRUE(web.ok()) << web.status();
  options.web = *web;
  Start(std::move(options));
  // "admin:test" and "admin:toast".
  GrpcRequest request = RequestAs("Basic YWRtaW46dGVzdA==");
  request.data = GrpcData(std::string(300'000, 'a'));
  EXPECT_EQ(client_->Call(request).status(), 0);
  EXPECT_EQ(handler_.request().body.size(), 300'000u);
  EXPECT_EQ(client_->Call(RequestAs("Basic YWRtaW46dG9hc3Q=")).status(),
            Number(GrpcCode::kUnauthenticated));
}

TEST_F(OtlpGrpcServerTest, RefusesWhatIsTooMuch) {
  OtlpGrpcOptions options;
  options.limits.max_message_bytes = 10'000;
  options.limits.max_message_bytes_in_flight = 5'000;
  Start(std::move(options));
  EXPECT_EQ(Send(std::string(4'000, 'a')).status(), 0);
  EXPECT_EQ(Send(std::string(5'001, 'a')).status(), Number(GrpcCode::kUnavailable));
  EXPECT_EQ(Send(std::string(10'001, 'a')).status(), Number(GrpcCode::kResourceExhausted));
  // Rejected calls hold no memory.
  EXPECT_EQ(Send(std::string(4'000, 'a')).status(), 0);
}

TEST_F(OtlpGrpcServerTest, RefusesMetadataThatIsTooLong) {
  OtlpGrpcOptions options;
  options.limits.http2.max_header_list_bytes = 1000;
  Start(std::move(options));
  GrpcRequest request = RequestWith("");
  request.fields["long"] = std::string(1000, 'a');
  const GrpcReply reply = client_->Call(request);
  EXPECT_EQ(reply.status(), Number(GrpcCode::kResourceExhausted));
  EXPECT_THAT(reply.message(), HasSubstr("1000"));
  EXPECT_EQ(Send("").status(), 0);
}

TEST_F(OtlpGrpcServerTest, RefusesRequestsThatAreNotOneMessage) {
  Start();
  for (const std::string& data :
       {std::string(), std::string(4, '\0'), GrpcData("whole").substr(0, 9),
        GrpcData("one") + GrpcData("two")}) {
    GrpcRequest request;
    request.data = data;
    EXPECT_EQ(client_->Call(request).status(), Number(GrpcCode::kInvalidArgument)) << data;
  }
}

TEST_F(OtlpGrpcServerTest, RefusesMoreCallsThanItMayHaveUnderWay) {
  OtlpGrpcOptions options;
  options.limits.max_calls = 1;
  Start(std::move(options));
  std::promise<api::Respond> held;
  handler_.Hold(held);
  client_->Begin(RequestWith("first"));
  api::Respond respond = held.get_future().get();
  GrpcTestClient other(server_->address());
  const GrpcReply refused = other.Call(RequestWith("second"));
  EXPECT_EQ(refused.status(), Number(GrpcCode::kUnavailable));
  EXPECT_NE(refused.details(), "");
  EXPECT_EQ(server_->stats().calls_in_flight, 1u);
  respond({});
  EXPECT_EQ(client_->Await().status(), 0);
}

TEST_F(OtlpGrpcServerTest, OneClientHasNoMoreThanItsShareOfTheCalls) {
  OtlpGrpcOptions options;
  options.limits.max_calls = 2;
  Start(std::move(options));
  std::promise<api::Respond> held;
  handler_.Hold(held);
  client_->Begin(RequestWith("first"));
  api::Respond respond = held.get_future().get();
  GrpcTestClient other(server_->address());
  const GrpcReply refused = other.Call(RequestWith("second"));
  EXPECT_EQ(refused.status(), Number(GrpcCode::kUnavailable));
  EXPECT_THAT(refused.message(), HasSubstr("of this client"));
  respond({});
  EXPECT_EQ(client_->Await().status(), 0);
}

TEST_F(OtlpGrpcServerTest, DoesNotWaitForAMessageForEver) {
  OtlpGrpcOptions options;
  options.limits.message_timeout = milliseconds(50);
  Start(std::move(options));
  GrpcRequest request;
  request.ends = false;
  EXPECT_EQ(client_->Call(request).status(), Number(GrpcCode::kDeadlineExceeded));
}

TEST_F(OtlpGrpcServerTest, AsksMessagesForALowestRate) {
  OtlpGrpcOptions options;
  options.limits.message_pause = milliseconds(50);
  options.limits.min_message_bytes_per_second = 1'000'000;
  Start(std::move(options));
  GrpcRequest request;
  request.data = GrpcData(std::string(1000, 'a')).substr(0, 500);
  request.ends = false;
  EXPECT_EQ(client_->Call(request).status(), Number(GrpcCode::kDeadlineExceeded));
}

TEST_F(OtlpGrpcServerTest, ClosesConnectionsWithoutACall) {
  OtlpGrpcOptions options;
  options.limits.first_call_timeout = milliseconds(50);
  Start(std::move(options));
  EXPECT_TRUE(client_->AwaitEnd());
  GrpcTestClient silent(server_->address());
  EXPECT_TRUE(silent.AwaitEnd());
  // A connection that has made a call may stay idle.
  GrpcTestClient other(server_->address());
  EXPECT_EQ(other.Call(RequestWith("points")).status(), 0);
  GrpcTestClient later(server_->address());
  EXPECT_TRUE(later.AwaitEnd());
  EXPECT_EQ(other.Call(RequestWith("points")).status(), 0);
}

TEST_F(OtlpGrpcServerTest, ClosesConnectionsThatRestTooLong) {
  OtlpGrpcOptions options;
  options.limits.idle_timeout = milliseconds(50);
  Start(std::move(options));
  EXPECT_EQ(Send("points").status(), 0);
  const GrpcReply reply = client_->Await();
  EXPECT_TRUE(reply.is_going_away);
  EXPECT_EQ(reply.connection_error, static_cast<uint32_t>(NGHTTP2_NO_ERROR));
  EXPECT_TRUE(client_->AwaitEnd());
}

TEST_F(OtlpGrpcServerTest, RefusesConnectionsOverTheShareOfANetwork) {
  OtlpGrpcOptions options;
  options.limits.max_connections = 2;
  Start(std::move(options));
  std::promise<api::Respond> held;
  handler_.Hold(held);
  client_->Begin(RequestWith("points"));
  api::Respond respond = held.get_future().get();
  GrpcTestClient refused(server_->address());
  EXPECT_TRUE(refused.AwaitEnd());
  EXPECT_EQ(server_->stats().refused_connections, 1u);
  EXPECT_EQ(server_->stats().displaced_connections, 0u);
  respond({});
  EXPECT_EQ(client_->Await().status(), 0);
}

TEST_F(OtlpGrpcServerTest, ConnectionsThatWaitMakeRoom) {
  OtlpGrpcOptions options;
  options.limits.max_connections = 2;
  Start(std::move(options));
  // An idle connection that has made a call also counts as waiting.
  EXPECT_EQ(Send("points").status(), 0);
  GrpcTestClient silent(server_->address());
  EXPECT_TRUE(client_->AwaitEnd());
  GrpcTestClient other(server_->address());
  EXPECT_TRUE(silent.AwaitEnd());
  EXPECT_EQ(other.Call(RequestWith("points")).status(), 0);
  EXPECT_EQ(server_->stats().refused_connections, 0u);
  EXPECT_EQ(server_->stats().displaced_connections, 2u);
}

TEST_F(OtlpGrpcServerTest, CallsThatAreNotLetInKeepNobodyOut) {
  OtlpGrpcOptions options;
  options.limits.max_connections = 2;
  options.web = WithToken();
  Start(std::move(options));
  GrpcRequest denied = RequestAs("Bearer bad");
  denied.ends = false;
  EXPECT_EQ(client_->Call(denied).status(), Number(GrpcCode::kUnauthenticated));
  GrpcTestClient other(server_->address());
  EXPECT_TRUE(client_->AwaitEnd());
  EXPECT_EQ(other.Call(RequestAs("Bearer open sesame")).status(), 0);
}

TEST_F(OtlpGrpcServerTest, TellsTheHandlerWhenNobodyWaits) {
  Start();
  std::promise<api::Respond> held;
  handler_.Hold(held);
  const int32_t stream = client_->Begin(RequestWith("points"));
  api::Respond respond = held.get_future().get();
  std::promise<void> cancelled;
  handler_.request().cancel->Subscribe([&] { cancelled.set_value(); });
  client_->Reset(stream);
  cancelled.get_future().get();
  handler_.request().cancel->Unsubscribe();
  respond({});
}

TEST_F(OtlpGrpcServerTest, ShutsDownWhenTheLastCallIsAnswered) {
  Start();
  std::promise<api::Respond> held;
  handler_.Hold(held);
  client_->Begin(RequestWith("points"));
  api::Respond respond = held.get_future().get();
  std::thread shutdown([this] { server_->Shutdown(std::chrono::minutes(1)); });
  EXPECT_TRUE(client_->Await().is_going_away);
  respond({});
  EXPECT_EQ(client_->Await().status(), 0);
  client_ = nullptr;
  shutdown.join();
  EXPECT_EQ(server_->stats().calls_in_flight, 0u);
}

TEST_F(OtlpGrpcServerTest, AnswersForAHandlerThatForgets) {
  Start();
  std::promise<api::Respond> held;
  handler_.Hold(held);
  client_->Begin(RequestWith("points"));
  { const api::Respond forgotten = held.get_future().get(); }
  EXPECT_EQ(client_->Await().status(), Number(GrpcCode::kInternal));
}

TEST_F(OtlpGrpcServerTest, NeedsTls12) {
  OtlpGrpcOptions options;
  options.port = 0;
  options.web.tls.emplace().max_version = 0x0302;
  const auto started = OtlpGrpcServer::Start(options, handler_);
  EXPECT_EQ(started.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::server

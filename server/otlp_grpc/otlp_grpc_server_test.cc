#include "server/otlp_grpc/otlp_grpc_server.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <utility>

#include "ingest/otlp/export_response.h"

namespace lockstep::server {
namespace {

using testing::HasSubstr;

constexpr char kExportMethod[] = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

// Answers with what the test set, and remembers the request.
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
  api::Role RoleFor(std::string_view) const override { return api::Role::kWrite; }
  const api::Request& request() const { return request_; }
  // The next request is answered by who takes it from there.
  void Hold(std::promise<api::Respond>& held) { held_ = &held; }

  int status = 200;
  std::string body = "taken";
  std::vector<api::Header> headers;

 private:
  Mutex mutex_;
  api::Request request_;
  std::promise<api::Respond>* held_ = nullptr;
};

struct Reply {
  grpc::Status status;
  std::string body;
};

class OtlpGrpcServerTest : public testing::Test {
 protected:
  void Start(OtlpGrpcOptions options = {}) {
    options.port = 0;
    auto started = OtlpGrpcServer::Start(std::move(options), handler_);
    ASSERT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
    channel_ = grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials());
  }

  Reply Send(const std::string& message, const std::string& method = kExportMethod,
             const std::string& authorization = "", bool gzip = false) {
    grpc::ClientContext context;
    if (!authorization.empty()) context.AddMetadata("authorization", authorization);
    if (gzip) context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    const grpc::Slice slice(message);
    grpc::CompletionQueue queue;
    grpc::GenericStub stub(channel_);
    const auto call = stub.PrepareUnaryCall(&context, method, grpc::ByteBuffer(&slice, 1), &queue);
    call->StartCall();
    grpc::ByteBuffer answer;
    Reply reply;
    call->Finish(&answer, &reply.status, this);
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    grpc::Slice whole;
    if (answer.Valid() && answer.DumpToSingleSlice(&whole).ok()) {
      reply.body.assign(reinterpret_cast<const char*>(whole.begin()), whole.size());
    }
    return reply;
  }

  ScriptedHandler handler_;
  std::unique_ptr<OtlpGrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(OtlpGrpcServerTest, HandsTheMessageOverAndTheAnswerBack) {
  Start();
  const Reply reply = Send("points");
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_EQ(reply.body, "taken");
  const api::Request& request = handler_.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path(), "/v1/metrics");
  EXPECT_EQ(request.header("Content-Type"), "application/x-protobuf");
  EXPECT_EQ(request.header("Content-Encoding"), "");
  EXPECT_EQ(request.body, "points");
  EXPECT_EQ(Send("").status.error_code(), grpc::StatusCode::OK);
  const OtlpGrpcStats stats = server_->stats();
  EXPECT_EQ(stats.calls, (std::map<std::string, uint64_t>{{"OK", 2}}));
  EXPECT_EQ(stats.received_bytes, 6u);
}

TEST_F(OtlpGrpcServerTest, LeavesCompressedMessagesAsTheyAre) {
  Start();
  EXPECT_TRUE(Send(std::string(10'000, 'a'), kExportMethod, "", true).status.ok());
  EXPECT_EQ(handler_.request().header("Content-Encoding"), "gzip");
  EXPECT_LT(handler_.request().body.size(), 100u);
}

TEST_F(OtlpGrpcServerTest, SaysWhatWentWrongAndWhetherToComeAgain) {
  Start();
  struct Row {
    int http_status;
    std::string retry_after;
    grpc::StatusCode code;
  };
  for (const Row& row :
       {Row{400, "", grpc::StatusCode::INVALID_ARGUMENT},
        Row{403, "", grpc::StatusCode::PERMISSION_DENIED},
        Row{413, "", grpc::StatusCode::RESOURCE_EXHAUSTED},
        Row{429, "7", grpc::StatusCode::RESOURCE_EXHAUSTED},
        Row{500, "", grpc::StatusCode::INTERNAL}, Row{503, "5", grpc::StatusCode::UNAVAILABLE}}) {
    handler_.status = row.http_status;
    handler_.body = otlp::StatusResponse(otlp::Encoding::kProtobuf, 2, "because");
    handler_.headers.clear();
    if (!row.retry_after.empty()) handler_.headers.push_back({"Retry-After", row.retry_after});
    const grpc::Status status = Send("points").status;
    EXPECT_EQ(status.error_code(), row.code) << row.http_status;
    EXPECT_EQ(status.error_message(), "because");
    if (row.retry_after.empty()) {
      EXPECT_EQ(status.error_details(), "");
    } else {
      EXPECT_EQ(status.error_details(), otlp::StatusWithRetryInfo(status.error_code(), "because",
                                                                  std::stoi(row.retry_after)));
    }
  }
}

TEST_F(OtlpGrpcServerTest, HasNoOtherServices) {
  Start();
  const grpc::Status status =
      Send("", "/opentelemetry.proto.collector.trace.v1.TraceService/Export").status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(status.error_message(), HasSubstr("TraceService"));
}

TEST_F(OtlpGrpcServerTest, LetsInWhoHasAToken) {
  OtlpGrpcOptions options;
  // Of "open sesame".
  const auto web = ParseWebConfig(
      "lockstep_bearer_tokens:\n"
      "  trainer:\n"
      "    sha256: 41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb\n",
      "web.yml");
  ASSERT_TRUE(web.ok()) << web.status();
  options.web = *web;
  Start(std::move(options));
  EXPECT_EQ(Send("").status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Send("", kExportMethod, "Bearer other").status.error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(Send("", kExportMethod, "Bearer open sesame").status.ok());
  EXPECT_EQ(handler_.request().user, "trainer");
}

TEST_F(OtlpGrpcServerTest, RefusesWhatIsTooMuch) {
  OtlpGrpcOptions options;
  options.max_message_bytes = 1000;
  options.max_message_bytes_in_flight = 1 << 20;
  Start(std::move(options));
  EXPECT_TRUE(Send(std::string(1000, 'a')).status.ok());
  EXPECT_EQ(Send(std::string(1001, 'a')).status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(OtlpGrpcServerTest, DoesNotWaitForAMessageForEver) {
  OtlpGrpcOptions options;
  options.message_timeout = std::chrono::milliseconds(50);
  Start(std::move(options));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(channel_);
  const auto call = stub.PrepareCall(&context, kExportMethod, &queue);
  call->StartCall(this);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  grpc::Status status;
  call->Finish(&status, this);
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_FALSE(status.ok());
}

TEST_F(OtlpGrpcServerTest, ShutsDownWhenTheLastCallIsAnswered) {
  Start();
  std::promise<api::Respond> held;
  handler_.Hold(held);
  std::future<Reply> reply = std::async(std::launch::async, [this] { return Send("points"); });
  api::Respond respond = held.get_future().get();
  std::thread shutdown([this] { server_->Shutdown(std::chrono::minutes(1)); });
  respond({});
  EXPECT_TRUE(reply.get().status.ok());
  shutdown.join();
  EXPECT_EQ(server_->stats().calls_in_flight, 0u);
}

TEST_F(OtlpGrpcServerTest, WillNotPretendToKeepToSettingsThatItCannot) {
  OtlpGrpcOptions options;
  options.port = 0;
  options.web.tls.emplace().client_allowed_sans = {"client"};
  const auto started = OtlpGrpcServer::Start(std::move(options), handler_);
  EXPECT_EQ(started.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(started.status())), HasSubstr("client_allowed_sans"));
}

}  // namespace
}  // namespace lockstep::server

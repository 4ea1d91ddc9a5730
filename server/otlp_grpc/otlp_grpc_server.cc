#include "server/otlp_grpc/otlp_grpc_server.h"

#include <grpc/support/log.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>

#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "base/log.h"
#include "server/otlp_grpc/answer.h"
#include "server/otlp_grpc/call.h"
#include "server/otlp_grpc/credentials.h"

namespace lockstep::server {
namespace {

// Decoding is most of their work; two keep up with the shards of a small machine, and bound what a large one gives.
constexpr int kThreads = 2;
constexpr int kMaxStreamsPerConnection = 100;
constexpr int kMaxIdleMs = 5 * 60 * 1000;

std::string AddressOf(const std::string& host, int port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? absl::StrFormat("[%s]:%d", host, port) : absl::StrFormat("%s:%d", host, port);
}

// What the library has to say goes where everything goes.
void LogAsOurs(gpr_log_func_args* args) {
  if (args->severity == GPR_LOG_SEVERITY_ERROR) {
    Log(LogLevel::kWarn, "gRPC", {{"said", args->message}});
  }
}

void PrepareLibrary() {
  // In Debian's build the library's locks look for cycles, at a price, and end the process when they think they
  // have found one.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  gpr_set_log_function(LogAsOurs);
}

class Server final : public OtlpGrpcServer {
 public:
  Server(const OtlpGrpcOptions& options, api::Handler& handler)
      : door_(handler, options.web, options.audit, options.max_message_bytes_in_flight,
              static_cast<uint64_t>(options.max_calls), options.message_timeout) {}
  ~Server() override { Shutdown(std::chrono::milliseconds(0)); }

  absl::Status Start(const OtlpGrpcOptions& options) {
    LOCKSTEP_ASSIGN_OR_RETURN(const auto credentials, CredentialsOf(options.web));
    credential_bytes_ = CredentialBytesOf(options.web);
    const std::string wanted = AddressOf(options.host, options.port);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(wanted, credentials, &port);
    Configure(options, builder);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) {
      return absl::UnavailableError(absl::StrFormat("cannot listen on %s for gRPC", wanted));
    }
    address_ = AddressOf(options.host, port);
    for (int i = 0; i < kThreads; ++i) {
      Call::Await(door_);
      threads_.emplace_back([this] { Work(); });
    }
    return absl::OkStatus();
  }

  const std::string& address() const override { return address_; }

  void Shutdown(std::chrono::milliseconds patience) override {
    if (door_.queue == nullptr || std::exchange(is_shut_down_, true)) return;
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + patience);
    // A call is over when its answer is, which the handler owes it even if nobody waits.
    door_.AwaitNone();
    door_.queue->Shutdown();
    if (threads_.empty()) Work();
    for (std::thread& thread : threads_) thread.join();
  }

  void Reload(const WebConfig& web) override {
    door_.authenticator.Configure(web);
    if (CredentialBytesOf(web) != credential_bytes_) {
      Log(LogLevel::kWarn, "the gRPC door keeps its certificates until the next start");
    }
  }

  OtlpGrpcStats stats() const override {
    OtlpGrpcStats stats;
    for (size_t i = 0; i < GrpcDoor::kStatusCount; ++i) {
      const uint64_t count = door_.answers[i];
      if (count == 0) continue;
      stats.calls.emplace(NameOf(static_cast<grpc::StatusCode>(i)), count);
    }
    stats.calls_in_flight = door_.in_flight();
    stats.received_bytes = door_.received_bytes;
    return stats;
  }

 private:
  void Configure(const OtlpGrpcOptions& options, grpc::ServerBuilder& builder) {
    grpc::ResourceQuota quota("otlp");
    quota.Resize(options.max_message_bytes_in_flight);
    builder.SetResourceQuota(quota);
    builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kMaxIdleMs);
    // Two servers on one port would share its calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    // The library would unpack a small message to one of any size; the handler knows a limit.
    builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
    builder.RegisterAsyncGenericService(&door_.service);
    door_.queue = builder.AddCompletionQueue();
  }

  void Work() {
    void* tag = nullptr;
    bool ok = false;
    while (door_.queue->Next(&tag, &ok)) {
      const auto* const it = static_cast<Call::Tag*>(tag);
      it->call->Proceed(it->event, ok);
    }
  }

  GrpcDoor door_;
  std::string credential_bytes_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::thread> threads_;
  bool is_shut_down_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<OtlpGrpcServer>> OtlpGrpcServer::Start(OtlpGrpcOptions options,
                                                                      api::Handler& handler) {
  PrepareLibrary();
  auto server = std::make_unique<Server>(options, handler);
  LOCKSTEP_RETURN_IF_ERROR(server->Start(options));
  return server;
}

}  // namespace lockstep::server

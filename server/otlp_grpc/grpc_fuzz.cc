// Feeds the bytes of a connection through the gRPC server to a handler without storage. The first
// byte sets the size of the pieces in which the others arrive.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/otlp_grpc/connection.h"
#include "server/otlp_grpc/grpc_door.h"
#include "server/socket/scripted_transport.h"

namespace lockstep::server {
namespace {

// Responds with the message, and one of the statuses that a handler may return.
class EchoHandler final : public api::Handler {
 public:
  void Handle(api::Request request, api::Respond respond) override {
    static constexpr int kStatuses[] = {200, 400, 429, 503};
    api::Response response;
    response.status = kStatuses[request.body.size() % 4];
    response.body = std::move(request.body);
    respond(std::move(response));
  }
  api::Role RoleFor(std::string_view, std::string_view) const override { return api::Role::kWrite; }
};

GrpcLimits SmallLimits() {
  GrpcLimits limits;
  limits.http2.max_streams = 10;
  limits.http2.stream_window_bytes = 4 << 10;
  limits.http2.max_header_list_bytes = 1 << 10;
  limits.http2.max_resets = 10;
  limits.http2.max_idle_frames = 50;
  limits.max_message_bytes = 16 << 10;
  limits.max_message_bytes_in_flight = 20 << 10;
  limits.max_calls = 5;
  return limits;
}

struct World {
  EchoHandler handler;
  GrpcDoor door{handler, WebConfig(), nullptr, SmallLimits(), 1};
};

// The output must consist of complete frames.
void CheckOutput(std::string_view output) {
  constexpr size_t kHeadBytes = 9;
  while (!output.empty()) {
    LOCKSTEP_CHECK(output.size() >= kHeadBytes);
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(output[i]); };
    const size_t size = kHeadBytes + (size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2));
    LOCKSTEP_CHECK(size <= output.size());
    output.remove_prefix(size);
  }
}

void Run(World& world, size_t piece_bytes, std::string_view input) {
  ScriptedTransport::State state;
  state.input = input;
  state.piece_bytes = piece_bytes;
  std::weak_ptr<Connection> alive;
  {
    auto connection =
        std::make_shared<Connection>(world.door, std::make_unique<ScriptedTransport>(state));
    alive = connection;
    connection->Start();
  }
  // A connection stays alive while something is pending for it.
  while (!alive.expired()) state.Take()();
  LOCKSTEP_CHECK(state.closed);
  LOCKSTEP_CHECK(world.door.budget.held_bytes() == 0);
  LOCKSTEP_CHECK(world.door.calls.taken() == 0);
  CheckOutput(state.output);
}

}  // namespace
}  // namespace lockstep::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& world = *new lockstep::server::World();
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  lockstep::server::Run(world, size_t{1} << (data[0] % 14), input);
  return 0;
}

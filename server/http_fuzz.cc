// Feeds the bytes of a connection through sessions, gate and API over a store in memory. The first
// byte sets the size of the pieces in which the others arrive.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/api.h"
#include "base/check.h"
#include "server/request_gate.h"
#include "server/session.h"
#include "server/socket/scripted_transport.h"
#include "tenants/tenants.h"
#include "tests/memory_storage.h"

namespace lockstep::server {
namespace {

// The server without sockets; lives as long as the program.
struct World {
  MemoryStorage storage;
  tenants::Tenants tenants{storage, nullptr, {}};
  std::unique_ptr<api::Api> api = MakeApi();
  HttpLimits limits = {.max_head_bytes = 4096, .max_body_bytes = 1 << 16};
  HttpCounters counters;
  BodyBudget budget{1 << 16};
  WorkerPool workers{1, 16};
  WorkerPool part_workers{1, 16};
  Authenticator authenticator{WebConfig()};
  RequestGate gate{{.cors = *CorsPolicy::Make("http://.*"), .browsers = {{{"x"}}, "http://y"}},
                   authenticator,
                   {workers, workers, part_workers},
                   *api,
                   counters};

  std::unique_ptr<api::Api> MakeApi() {
    storage.Append(LabelSet::Of({{"__name__", "up"}, {"job", "fuzz"}}), 1000, 1);
    api::ApiOptions options;
    options.max_concurrent_queries = 1;
    options.max_query_samples = 10'000;
    options.query_timeout = std::chrono::milliseconds(100);
    auto made =
        std::make_unique<api::Api>(api::ApiDependencies{.tenants = tenants,
                                                        .info = {},
                                                        .options = options,
                                                        .now_ms = [] { return int64_t{1000}; },
                                                        .reload = {}});
    made->SetReady(true);
    return made;
  }
};

// The output must be a sequence of well-formed responses. Responses to HEAD have no body, so
// nothing is checked after the first such request.
void CheckOutput(std::string_view output) {
  while (!output.empty()) {
    LOCKSTEP_CHECK(output.starts_with("HTTP/1.1 "));
    const size_t end = output.find("\r\n\r\n");
    LOCKSTEP_CHECK(end != std::string_view::npos);
    const std::string_view head = output.substr(0, end);
    output.remove_prefix(end + 4);
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t at = head.find(kLength);
    if (at == std::string_view::npos) continue;
    const size_t length =
        std::strtoull(std::string(head.substr(at + kLength.size())).c_str(), nullptr, 10);
    LOCKSTEP_CHECK(length <= output.size());
    output.remove_prefix(length);
  }
}

void Run(World& world, size_t piece_bytes, std::string_view input) {
  ScriptedTransport::State state;
  state.input = input;
  state.piece_bytes = piece_bytes;
  std::weak_ptr<Session> alive;
  {
    auto session = std::make_shared<Session>(
        SessionShared{world.limits, world.gate, world.budget, world.counters},
        std::make_unique<ScriptedTransport>(state));
    alive = session;
    session->Start();
  }
  // A session stays alive while something is pending for it.
  while (!alive.expired()) state.Take()();
  LOCKSTEP_CHECK(state.closed);
  LOCKSTEP_CHECK(world.budget.held_bytes() == 0);
  if (input.find("HEAD") == std::string_view::npos) CheckOutput(state.output);
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

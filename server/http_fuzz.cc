// Feeds the bytes of a connection through sessions, gate and API over a store in memory. The first
// byte says how large the pieces are in which the others arrive.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/api.h"
#include "base/check.h"
#include "server/request_gate.h"
#include "server/session.h"
#include "tests/memory_storage.h"

namespace lockstep::server {
namespace {

// Plays the given bytes to a session, then the end of the stream, and keeps what it says.
class ScriptedTransport final : public Transport {
 public:
  // What outlives the transport, which its session owns.
  struct State {
    std::string_view input;
    size_t piece_bytes = 1;
    std::string output;
    bool closed = false;
    Mutex mutex;
    CondVar posted;
    std::deque<Task> tasks LOCKSTEP_GUARDED_BY(mutex);

    void Post(Task task) {
      MutexLock lock(mutex);
      tasks.push_back(std::move(task));
      posted.NotifyOne();
    }
    Task Take() {
      MutexLock lock(mutex);
      while (tasks.empty()) posted.Wait(mutex);
      Task task = std::move(tasks.front());
      tasks.pop_front();
      return task;
    }
  };

  explicit ScriptedTransport(State& state) : state_(state) {}

  void Handshake(IoDone done) override {
    Post([done = std::move(done)]() mutable { done({}, 0); });
  }
  void ReadSome(std::span<char> into, IoDone done) override {
    const size_t size = std::min({state_.piece_bytes, into.size(), state_.input.size()});
    std::copy_n(state_.input.begin(), size, into.begin());
    state_.input.remove_prefix(size);
    const std::error_code error =
        size > 0 ? std::error_code() : std::make_error_code(std::errc::connection_reset);
    Post([done = std::move(done), error, size]() mutable { done(error, size); });
  }
  void WriteSome(std::string_view first, std::string_view second, IoDone done) override {
    state_.output.append(first).append(second);
    Post([done = std::move(done), size = first.size() + second.size()]() mutable {
      done({}, size);
    });
  }
  void FinishWriting() override {}
  void Close() override { state_.closed = true; }
  void StartTimer(std::chrono::milliseconds, Task) override {}
  void StopTimer() override {}
  void Post(Task task) override { state_.Post(std::move(task)); }
  const Peer& peer() const override { return peer_; }

 private:
  State& state_;
  const Peer peer_{"127.0.0.1:1"};
};

// The server but for its sockets; lives as long as the program.
struct World {
  MemoryStorage storage;
  engine::Engine engine{storage, {}};
  std::unique_ptr<api::Api> api = MakeApi();
  HttpLimits limits = {.max_head_bytes = 4096, .max_body_bytes = 1 << 16};
  HttpCounters counters;
  BodyBudget budget{1 << 16};
  WorkerPool workers{1, 16};
  WorkerPool part_workers{1, 16};
  Authenticator authenticator{WebConfig()};
  RequestGate gate{{.cors = *CorsPolicy::Make("http://.*"), .browsers = {{{"x"}}, "http://y"}},
                   authenticator,
                   workers,
                   part_workers,
                   *api,
                   counters};

  std::unique_ptr<api::Api> MakeApi() {
    storage.Append(LabelSet::Of({{"__name__", "up"}, {"job", "fuzz"}}), 1000, 1);
    api::ApiOptions options;
    options.max_concurrent_queries = 1;
    options.max_query_samples = 10'000;
    options.query_timeout = std::chrono::milliseconds(100);
    auto made = api::MakeApi({.storage = storage,
                              .engine = engine,
                              .info = {},
                              .options = options,
                              .now_ms = [] { return int64_t{1000}; },
                              .reload = {}});
    made->SetReady(true);
    return made;
  }
};

// What a client has to see: one well-formed response after the other. Those to HEAD have no body,
// so from the first such request on nothing is expected.
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
  // A session lives as long as something is due to it.
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

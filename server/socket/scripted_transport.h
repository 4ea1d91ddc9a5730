// ScriptedTransport: plays the given bytes to a connection, then the end of the stream, and records
// what the connection writes. It has no clock: timers never expire.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "server/socket/transport.h"

namespace lockstep::server {

class ScriptedTransport final : public Transport {
 public:
  // The state that outlives the transport, which its connection owns.
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
  uint64_t UnsentBytes() const override { return 0; }
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

}  // namespace lockstep::server

// The endpoints of Go's net/http/pprof that apply to this server: /debug/pprof/, profile, heap,
// cmdline. Their output is for `go tool pprof` and other readers of its format.
#pragma once

#include <memory>
#include <thread>

#include "api/http/call.h"
#include "base/mutex.h"
#include "profile/cpu_profiler.h"

namespace lockstep::api {

// Takes CPU profiles, one at a time, on its own thread, because they are needed most while the
// other threads are busy. Safe from any thread.
class ProfileRunner {
 public:
  ProfileRunner() = default;
  // Calls Stop().
  ~ProfileRunner();
  ProfileRunner(const ProfileRunner&) = delete;
  ProfileRunner& operator=(const ProfileRunner&) = delete;

  // Responds after the number of seconds in the parameter, 30 by default, 300 at most; earlier if
  // the client disconnects.
  void Profile(Call call, Respond respond);
  // Ends the current profile and rejects new ones. Idempotent.
  void Stop();

 private:
  struct Job {
    std::unique_ptr<profile::CpuProfiler> profiler;
    std::chrono::seconds duration{};
    std::shared_ptr<CancelSignal> cancel;
    Respond respond;
  };

  Response Run(Job& job);

  Mutex mutex_;
  CondVar stopped_;
  bool is_stopping_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool is_running_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::thread thread_ LOCKSTEP_GUARDED_BY(mutex_);
};

// Quick.
Response HandleProfileIndex();
Response HandleHeapProfile();
// The arguments of this process, each terminated by a zero byte.
Response HandleCommandLine();

}  // namespace lockstep::api

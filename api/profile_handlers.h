// The endpoints of Go's net/http/pprof that say something of this server: /debug/pprof/, profile,
// heap, cmdline. What they give is for `go tool pprof` and everything else that reads its format.
#pragma once

#include <memory>
#include <thread>

#include "api/call.h"
#include "base/mutex.h"
#include "profile/cpu_profiler.h"

namespace lockstep::api {

// CPU profiles, one at a time, on a thread of its own: they are wanted above all while the others
// are busy. Safe from any thread.
class ProfileRunner {
 public:
  ProfileRunner() = default;
  // Stops.
  ~ProfileRunner();
  ProfileRunner(const ProfileRunner&) = delete;
  ProfileRunner& operator=(const ProfileRunner&) = delete;

  // Answers after as many seconds as the parameter says, 30 without one, 300 at most; earlier if
  // the client goes.
  void Profile(Call call, Respond respond);
  // Ends the profile that is being taken, and takes no other. Idempotent.
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
// The arguments of this process, each ended by a zero byte.
Response HandleCommandLine();

}  // namespace lockstep::api

// CpuProfiler: where the threads of this process spend their time. Each thread has a timer of its
// own CPU time; whenever that has gone on by a period, a signal (SIGPROF) has the thread write down
// its stack. One profiler at a time, as there is one such signal; the others of its methods are for
// the thread that started it.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <string>

#include "base/memory_budget.h"
#include "base/status.h"

namespace lockstep::profile {

class CpuProfiler {
 public:
  static constexpr std::chrono::milliseconds kPeriod{10};
  // A profile of so many has all that a reader can make out.
  static constexpr size_t kMaxSamples = 50'000;

  // Begins. Later samples than the first `max_samples` are only counted. kFailedPrecondition while
  // another one runs; the errors of base/memory_budget.h if there is no memory for the samples.
  static absl::StatusOr<std::unique_ptr<CpuProfiler>> Start(size_t max_samples = kMaxSamples);
  ~CpuProfiler();
  CpuProfiler(const CpuProfiler&) = delete;
  CpuProfiler& operator=(const CpuProfiler&) = delete;

  // Threads are found when this is called: do so a few times a second.
  void FindThreads();
  // How many there are, and how many there would be with room for them.
  size_t sample_count() const;
  size_t asked_count() const;
  // Ends, and gives what was found in the format of pprof. Once.
  std::string Finish();

 private:
  struct Samples;

  explicit CpuProfiler(size_t max_samples, MemoryCharge memory);
  void Stop();

  MemoryCharge memory_;
  std::unique_ptr<Samples> samples_;
  std::map<int, timer_t> timers_;  // by thread
  const int64_t begin_ns_;         // Unix
  const std::chrono::steady_clock::time_point begin_;
  bool is_running_ = true;
};

}  // namespace lockstep::profile

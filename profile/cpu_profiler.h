// CpuProfiler: records where this process's threads spend their CPU time. Each thread has a timer
// on its own CPU time, which sends a signal (SIGPROF) after each period to record the thread's
// stack. Only one profiler can run at a time, because there is only one such signal. Call the other
// methods only on the thread that started it.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <string>

#include "base/budget/memory_budget.h"
#include "base/status.h"

namespace lockstep::profile {

class CpuProfiler {
 public:
  static constexpr std::chrono::milliseconds kPeriod{10};
  // Enough samples for a detailed profile.
  static constexpr size_t kMaxSamples = 50'000;

  // Starts profiling. Samples beyond the first `max_samples` are only counted. Fails with
  // kFailedPrecondition if another profiler is running, and with an error of MemoryBudget if
  // there is no memory for the samples.
  static absl::StatusOr<std::unique_ptr<CpuProfiler>> Start(size_t max_samples = kMaxSamples);
  ~CpuProfiler();
  CpuProfiler(const CpuProfiler&) = delete;
  CpuProfiler& operator=(const CpuProfiler&) = delete;

  // Finds new threads: call it a few times per second.
  void FindThreads();
  // The number of samples, including those for which there was no room.
  size_t sample_count() const;
  size_t asked_count() const;
  // Stops, and returns the profile in pprof's format. Call it once.
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

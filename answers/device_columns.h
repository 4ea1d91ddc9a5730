// Counters of a job's devices, filled in series by series.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "model/sample.h"
#include "training/devices.h"
#include "training/job.h"

namespace lockstep::answers {

class DeviceColumns {
 public:
  explicit DeviceColumns(size_t rank_count) : devices_(rank_count) {}
  DeviceColumns(const DeviceColumns&) = delete;
  DeviceColumns& operator=(const DeviceColumns&) = delete;

  // Safe from several threads.
  void Add(training::DeviceCounter counter, size_t row, std::string_view model,
           const SampleColumns& samples);

  // Whether a row has a sample. Not while others add.
  bool HasAny(size_t row) const;

  // The rest is for one thread, after the last Add().
  void Sort();
  // From the first to the last sample of all; nothing without one.
  std::optional<training::TimeRange> Seen() const;
  // With the samples in `time` only; empty if there are none at all.
  std::vector<training::GpuCounters> Take(const training::TimeRange& time);

 private:
  static constexpr size_t kLockCount = 64;

  std::vector<training::GpuCounters> devices_;
  std::array<Mutex, kLockCount> row_mutexes_;
};

}  // namespace lockstep::answers

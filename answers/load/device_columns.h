// Collects the device counters of a job, series by series.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "model/sample.h"
#include "training/devices/devices.h"
#include "training/job/job.h"

namespace lockstep::answers {

class DeviceColumns {
 public:
  explicit DeviceColumns(size_t rank_count) : devices_(rank_count) {}
  DeviceColumns(const DeviceColumns&) = delete;
  DeviceColumns& operator=(const DeviceColumns&) = delete;

  // Thread-safe.
  void Add(catalogue::Role role, size_t row, std::string_view model, const SampleColumns& samples);

  // Whether a row has a sample. Not safe during Add().
  bool HasAny(size_t row) const;

  // The following must be called from one thread after the last Add().
  void Sort();
  // The range from the first to the last sample; empty if there are none.
  std::optional<TimeRange> Seen() const;
  // The counters with the samples in `time`; empty if there are no samples at all.
  std::vector<training::GpuCounters> Take(const TimeRange& time);

 private:
  static constexpr size_t kLockCount = 64;

  std::vector<training::GpuCounters> devices_;
  std::array<Mutex, kLockCount> row_mutexes_;
};

}  // namespace lockstep::answers

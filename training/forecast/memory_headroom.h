// How much memory of its GPUs a job has left, and when a leak will have filled it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "training/devices/devices.h"
#include "training/job/job.h"
#include "training/job/steps.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

struct MemoryHeadroom {
  std::optional<size_t> row = {};  // the rank with the least; none without device counters
  double capacity_bytes = kUnknown;
  double peak_used_bytes = kUnknown;
  double headroom_bytes = kUnknown;  // capacity without the peak
  // What the trainer's allocator held at most, of the same rank: an allocator may take all of a
  // device and still have room.
  double peak_allocated_bytes = kUnknown;
  // Of a leak, as in the event `memory_leak`; unknown if there is none.
  double growth_bytes_per_second = kUnknown;
  double full_in_seconds = kUnknown;  // from the newest sample on, of the rank that is full first
};

// `devices` has one element per rank of the job, or is empty.
MemoryHeadroom MemoryHeadroomOf(const Job& job, const StepTable& steps,
                                std::span<const GpuCounters> devices);

}  // namespace lockstep::training

// Where the time of each training step went, from a profiler trace.
//
// Work of several streams at one time is counted once: all times of a device are lengths of unions of intervals,
// inside the step's window.
//
//   compute        |=======|   |====|                 kernels but for collectives
//   communication      |==========|  |===|            exposed: |===| of the first, all of the second
//   busy           |================||===|   idle: the rest of the window
//
// Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/traces/interval_union.h"
#include "import/traces/kernel_class.h"
#include "import/traces/kineto_trace.h"

namespace lockstep::traces {

struct PhaseTime {
  std::string_view phase;
  double seconds = 0;
};

// What the host did in its step. Without marked steps the trace is one, with no number.
struct HostStep {
  std::optional<int64_t> step;
  Interval window;
  std::vector<PhaseTime> phases;
  uint64_t launches = 0;      // that began in the window
  double launch_seconds = 0;  // of the host's threads, spent in them
};

struct ClassTime {
  double seconds = 0;
  uint64_t count = 0;  // of kernels that began in the window
};

struct CollectiveTime {
  uint32_t kind = 0;   // an index into KinetoTrace::collective_kinds
  double seconds = 0;  // of all calls that began in the window, waiting included
  double shortest_seconds = 0;
  double bytes = 0;
  uint64_t count = 0;
};

// What one device did in a step. The window is that of the step's range on the device, up to the next one's begin;
// where the trace has no such ranges, the host's.
struct DeviceStep {
  std::optional<int64_t> step;
  uint16_t device = 0;  // an index into KinetoTrace::devices
  Interval window;
  double compute_seconds = 0;
  double communication_seconds = 0;
  double exposed_communication_seconds = 0;  // while nothing was computed
  double copy_seconds = 0;                   // copies and fills
  double busy_seconds = 0;
  double idle_seconds = 0;
  double longest_idle_seconds = 0;
  // Of the idle time, that in which the host had not yet launched what the device did next.
  double unlaunched_seconds = 0;
  uint64_t gaps = 0;
  std::array<ClassTime, kKernelClassCount> classes;
  std::vector<CollectiveTime> collectives;
  std::vector<PhaseTime> phases;
};

struct TraceProfile {
  std::vector<HostStep> host_steps;      // in order of time
  std::vector<DeviceStep> device_steps;  // by device, then in order of time
};

TraceProfile ProfileOf(const KinetoTrace& trace);

}  // namespace lockstep::traces

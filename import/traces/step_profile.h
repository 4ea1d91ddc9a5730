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

#include "import/traces/copy_kind.h"
#include "import/traces/interval_union.h"
#include "import/traces/kernel_class.h"
#include "import/traces/kineto_trace.h"

namespace lockstep::traces {

inline double SecondsOf(int64_t length_ns) { return static_cast<double>(length_ns) / 1e9; }

// Idle stretches are counted that are at least as long as each of these.
inline constexpr std::array<int64_t, 4> kLongGapsNs = {1'000'000, 10'000'000, 50'000'000,
                                                       500'000'000};
// Idle stretches of this length are told one by one, and for them what the host did.
inline constexpr int64_t kListedGapNs = kLongGapsNs.front();
// A batch that is waited for longer than this is slow.
inline constexpr int64_t kSlowLoadNs = 50'000'000;
// Over the whole trace the utilisation of a device is told for this many stretches of equal length.
inline constexpr int64_t kUtilizationBins = 30;

struct PhaseTime {
  std::string_view phase;
  double seconds = 0;
};

// Waits for data: ranges of the phase "data", those within others not counted.
struct LoadTimes {
  uint64_t count = 0;  // that began in the window
  uint64_t slow = 0;   // longer than kSlowLoadNs
  double slow_seconds = 0;
  double longest_seconds = 0;
};

// What the host did in its step. Without marked steps the trace is one, with no number.
struct HostStep {
  std::optional<int64_t> step;
  Interval window;
  std::vector<PhaseTime> phases;
  LoadTimes loads;
  uint64_t launches = 0;      // that began in the window
  double launch_seconds = 0;  // of the host's threads, spent in them
};

struct ClassTime {
  double seconds = 0;
  uint64_t count = 0;  // of kernels that began in the window
};

// Of calls that began in the window: their sum.
struct KernelTime {
  uint32_t kernel = 0;  // an index into KinetoTrace::kernel_names
  KernelClass kernel_class = KernelClass::kOther;
  double seconds = 0;
  uint64_t count = 0;
};

// Likewise, of copies and fills of one kind that were launched in one way.
struct CopyTime {
  CopyKind kind;
  std::string_view call;  // "sync", "async" or "unknown"; lives forever
  double seconds = 0;
  double bytes = 0;
  uint64_t count = 0;
};

// Idle stretches of some length or longer.
struct LongGaps {
  uint64_t count = 0;
  double seconds = 0;
};

struct CollectiveTime {
  uint32_t kind = 0;   // an index into KinetoTrace::collective_kinds
  double seconds = 0;  // of all calls that began in the window, waiting included
  double shortest_seconds = 0;
  double under_compute_seconds = 0;      // of it, while something was computed
  double under_collectives_seconds = 0;  // of it, while another collective ran
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
  std::array<LongGaps, kLongGapsNs.size()> long_gaps;  // by the threshold
  // What the host did in those of kListedGapNs and longer: their sum.
  std::vector<PhaseTime> idle_host;
  std::vector<KernelTime> kernels;  // the kTopKernels of the trace, the longest first
  std::vector<CopyTime> copies;
  std::array<ClassTime, kKernelClassCount> classes;
  std::vector<CollectiveTime> collectives;
  std::vector<PhaseTime> phases;
};

struct UtilizationBin {
  Interval time;
  double busy_ratio = 0;
};

struct IdleGap {
  Interval time;
  std::string_view host;                   // what the host did for the most of it; lives forever
  KernelClass next = KernelClass::kOther;  // of what ended it
};

// What one device did over the whole trace.
struct DeviceOverview {
  uint16_t device = 0;  // an index into KinetoTrace::devices
  std::vector<UtilizationBin> utilization;
  std::vector<IdleGap> gaps;  // of kListedGapNs and longer, in order of time
};

struct TraceProfile {
  std::vector<HostStep> host_steps;      // in order of time
  std::vector<DeviceStep> device_steps;  // by device, then in order of time
  std::vector<DeviceOverview> devices;
};

TraceProfile ProfileOf(const KinetoTrace& trace);

}  // namespace lockstep::traces

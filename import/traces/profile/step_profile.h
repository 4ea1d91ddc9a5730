// Breaks down the time of each training step in a profiler trace.
//
// Simultaneous work of several streams counts once: all times of a device are lengths of interval
// unions within the step's window.
//
//   compute        |=======|   |====|                 kernels except collectives
//   communication      |==========|  |===|            exposed: |===| of the first, all of the 2nd
//   busy           |================||===|   idle: the rest of the window
//
// Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/traces/kinds/copy_kind.h"
#include "import/traces/kinds/kernel_class.h"
#include "import/traces/kineto/interval_union.h"
#include "import/traces/kineto/kineto_trace.h"

namespace lockstep::traces {

inline double SecondsOf(int64_t length_ns) { return static_cast<double>(length_ns) / 1e9; }

// Counts the idle gaps that are at least as long as each of these.
inline constexpr std::array<int64_t, 4> kLongGapsNs = {1'000'000, 10'000'000, 50'000'000,
                                                       500'000'000};
// Gaps of at least this length are listed with the host's activity.
inline constexpr int64_t kListedGapNs = kLongGapsNs.front();
// Waiting longer than this for a batch counts as slow.
inline constexpr int64_t kSlowLoadNs = 50'000'000;
// A device's utilisation over the trace is divided into this many equal bins.
inline constexpr int64_t kUtilizationBins = 30;

struct PhaseTime {
  std::string_view phase;
  double seconds = 0;
};

// Waits for data: ranges of the phase "data", excluding nested ones.
struct LoadTimes {
  uint64_t count = 0;  // that began in the window
  uint64_t slow = 0;   // longer than kSlowLoadNs
  double slow_seconds = 0;
  double longest_seconds = 0;
};

// The host's activity in its step. Without marked steps, the trace is a single step without a
// number.
struct HostStep {
  std::optional<int64_t> step;
  Interval window;
  std::vector<PhaseTime> phases;
  LoadTimes loads;
  uint64_t launches = 0;      // that began in the window
  double launch_seconds = 0;  // total time of host threads in launches
};

struct ClassTime {
  double seconds = 0;
  uint64_t count = 0;  // of kernels that began in the window
};

// The total of calls that began in the window.
struct KernelTime {
  uint32_t kernel = 0;  // an index into KinetoTrace::kernel_names
  KernelClass kernel_class = KernelClass::kOther;
  double seconds = 0;
  uint64_t count = 0;
};

// Likewise for copies and fills of one kind that were launched in one way.
struct CopyTime {
  CopyKind kind;
  std::string_view call;  // "sync", "async" or "unknown"; static storage
  double seconds = 0;
  double bytes = 0;
  uint64_t count = 0;
};

// Idle gaps of at least some length.
struct LongGaps {
  uint64_t count = 0;
  double seconds = 0;
};

struct CollectiveTime {
  uint32_t kind = 0;   // an index into KinetoTrace::collective_kinds
  double seconds = 0;  // of all calls that began in the window, including waiting
  double shortest_seconds = 0;
  double under_compute_seconds = 0;      // overlapped by computation
  double under_collectives_seconds = 0;  // overlapped by another collective
  double bytes = 0;
  uint64_t count = 0;
};

// One device's activity in a step. The window is the step's range on the device, up to the next
// one's begin; if the trace has no such ranges, the host's.
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
  // The idle time during which the host had not yet launched the device's next work.
  double unlaunched_seconds = 0;
  uint64_t gaps = 0;
  std::array<LongGaps, kLongGapsNs.size()> long_gaps;  // per threshold
  // The host's total activity during gaps of at least kListedGapNs.
  std::vector<PhaseTime> idle_host;
  std::vector<KernelTime> kernels;  // the trace's kTopKernels, longest first
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
  std::string_view host;                   // the host's main activity; static storage
  KernelClass next = KernelClass::kOther;  // the class of what ended it
};

// One device's activity over the whole trace.
struct DeviceOverview {
  uint16_t device = 0;  // an index into KinetoTrace::devices
  std::vector<UtilizationBin> utilization;
  std::vector<IdleGap> gaps;  // at least kListedGapNs long, in order of time
};

struct TraceProfile {
  std::vector<HostStep> host_steps;      // in order of time
  std::vector<DeviceStep> device_steps;  // by device, then in order of time
  std::vector<DeviceOverview> devices;
};

TraceProfile ProfileOf(const KinetoTrace& trace);

}  // namespace lockstep::traces

// What is kept of a profiler trace: when the GPU did what kind of work, and what the host said about it. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/traces/copy_kind.h"
#include "import/traces/interval_union.h"
#include "import/traces/kernel_class.h"
#include "import/traces/kineto_header.h"

namespace lockstep::traces {

inline constexpr uint32_t kNoKernel = UINT32_MAX;

// A kernel, a copy or a fill.
struct DeviceEvent {
  Interval time;
  uint64_t correlation = 0;     // that of its launch; 0 is unknown
  uint32_t kernel = kNoKernel;  // an index into KinetoTrace::kernel_names
  uint16_t device = 0;          // an index into KinetoTrace::devices
  KernelClass kernel_class = KernelClass::kOther;
};

// A collective as one rank saw it: from when it entered to when it left, waiting included.
struct CollectiveCall {
  Interval time;
  uint32_t kind = 0;  // an index into KinetoTrace::collective_kinds
  uint16_t device = 0;
  double bytes = 0;  // that this rank put in; 0 is unknown
};

struct CopyCall {
  Interval time;
  uint64_t correlation = 0;
  double bytes = 0;  // 0 is unknown
  CopyKind kind;
  uint16_t device = 0;
};

struct CollectiveKind {
  std::string_view name;  // "all_reduce"; lives forever
  std::string group;      // "default_pg"; "" is unknown
};

// A call on the host that put work on a stream.
struct LaunchCall {
  Interval time;
  uint64_t correlation = 0;
};

// "ProfilerStep#12".
struct StepRange {
  int64_t step = 0;
  Interval time;
  uint16_t device = 0;  // of ranges on a device
};

struct PhaseRange {
  std::string_view phase;  // "optimizer"; lives forever
  Interval time;
  uint16_t device = 0;  // of ranges on a device
};

// Nothing is sorted.
struct KinetoTrace {
  KinetoHeader header;
  std::vector<int32_t> devices;  // as CUDA numbers them
  std::vector<CollectiveKind> collective_kinds;
  std::vector<std::string> kernel_names;
  std::vector<DeviceEvent> device_events;
  std::vector<CollectiveCall> collective_calls;  // they are among device_events, too
  std::vector<CopyCall> copy_calls;              // so are these
  std::vector<LaunchCall> launches;
  std::vector<uint64_t>
      blocking_copies;               // correlations of launches that return when the copy is done
  std::vector<Interval> host_waits;  // calls in which the host waits for a device
  std::vector<StepRange> host_steps;
  std::vector<StepRange> device_steps;
  std::vector<PhaseRange> host_phases;
  std::vector<PhaseRange> device_phases;
};

}  // namespace lockstep::traces

// The retained content of a profiler trace: what work the GPU did when, and what the host reported.
// Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/traces/kinds/copy_kind.h"
#include "import/traces/kinds/kernel_class.h"
#include "import/traces/kineto/interval_union.h"
#include "import/traces/kineto/kineto_header.h"

namespace lockstep::traces {

inline constexpr uint32_t kNoKernel = UINT32_MAX;

// A kernel, a copy or a fill.
struct DeviceEvent {
  Interval time;
  uint64_t correlation = 0;     // with its launch; 0: unknown
  uint32_t kernel = kNoKernel;  // an index into KinetoTrace::kernel_names
  uint16_t device = 0;          // an index into KinetoTrace::devices
  KernelClass kernel_class = KernelClass::kOther;
};

// A collective as seen by one rank: from entering to leaving it, including waiting.
struct CollectiveCall {
  Interval time;
  uint32_t kind = 0;  // an index into KinetoTrace::collective_kinds
  uint16_t device = 0;
  double bytes = 0;  // contributed by this rank; 0: unknown
};

struct CopyCall {
  Interval time;
  uint64_t correlation = 0;
  double bytes = 0;  // 0 is unknown
  CopyKind kind;
  uint16_t device = 0;
};

struct CollectiveKind {
  std::string_view name;  // "all_reduce"; static storage
  std::string group;      // "default_pg"; "" if unknown
};

// A host call that puts work on a stream.
struct LaunchCall {
  Interval time;
  uint64_t correlation = 0;
};

// "ProfilerStep#12".
struct StepRange {
  int64_t step = 0;
  Interval time;
  uint16_t device = 0;  // for ranges on a device
};

struct PhaseRange {
  std::string_view phase;  // "optimizer"; static storage
  Interval time;
  uint16_t device = 0;  // for ranges on a device
};

// All lists are unsorted.
struct KinetoTrace {
  KinetoHeader header;
  std::vector<int32_t> devices;  // CUDA device numbers
  std::vector<CollectiveKind> collective_kinds;
  std::vector<std::string> kernel_names;
  std::vector<DeviceEvent> device_events;
  std::vector<CollectiveCall> collective_calls;  // also in device_events
  std::vector<CopyCall> copy_calls;              // also in device_events
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

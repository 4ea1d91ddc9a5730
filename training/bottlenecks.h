// What bounds each GPU, window by window.
//
// A tree of questions; the first that says yes decides. Each window carries the numbers it was asked with
// and how far the nearest of them is from deciding otherwise.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/confidence.h"
#include "training/devices.h"
#include "training/evidence.h"
#include "training/job.h"
#include "training/steps.h"

namespace lockstep::training {

enum class BottleneckClass {
  kIdle,                // nothing runs
  kInputBound,          // the device waits for its host: loader, copies, launches
  kFakeLoad,            // busy by the clock, next to no work
  kWaiting,             // spins in a collective and nothing is exchanged: another rank is late
  kCommunicationBound,  // exchanges data and computes little
  kMemoryBound,
  kLatencyBound,  // threads wait for single memory accesses: neither bandwidth nor math is used up
  kComputeBound,  // a pipe that does arithmetic is busy
  kUnknown,       // a counter that would tell is missing, or the counters match no kind of work
};
inline constexpr size_t kBottleneckClassCount = static_cast<size_t>(BottleneckClass::kUnknown) + 1;

std::string_view Name(BottleneckClass bottleneck);
// What to try.
std::string_view Advice(BottleneckClass bottleneck);

// What an input-bound device waits for, as far as it can be told.
enum class HostCause {
  kUnknown,
  kData,      // the trainer logs the time it waits for input
  kCopies,    // copies over PCIe
  kLaunches,  // its kernels are tiny: the host cannot launch them fast enough
};
inline constexpr size_t kHostCauseCount = static_cast<size_t>(HostCause::kLaunches) + 1;
std::string_view Name(HostCause cause);

// Beside the class.
enum class BottleneckFlag {
  kThrottled,
  kPowerBraked,
  kPowerCapped,  // at its limit: usual in training
  kHot,
  kUnhealthy,
  kMemoryNearlyFull,
  kLowOccupancy,   // few warps: a hint only
  kNoTensorCores,  // computes without them
  kFewTensorCores,
};
std::string_view Name(BottleneckFlag flag);
std::string_view Advice(BottleneckFlag flag);

// Means of one device in one window; unknown where not reported.
struct DeviceWindow {
  double engine = kUnknown;
  double sm = kUnknown;
  double occupancy = kUnknown;
  double tensor = kUnknown;
  double fp64 = kUnknown;
  double fp32 = kUnknown;
  double fp16 = kUnknown;
  double dram = kUnknown;
  double nvlink_received = kUnknown;   // bytes/s
  double pcie_received = kUnknown;     // bytes/s
  double pcie_sent = kUnknown;         // bytes/s
  double link_bytes_per_s = kUnknown;  // of all links, one way; unknown for an unknown model
  double power_share = kUnknown;       // of the power limit
  bool has_peers = true;               // a job of one rank exchanges nothing and waits for nobody
};

// The means of `device` in `time`, without what depends on its model or its job.
DeviceWindow MeansIn(const GpuCounters& device, const TimeRange& time);

struct Classified {
  BottleneckClass bottleneck = BottleneckClass::kUnknown;
  HostCause host_cause = HostCause::kUnknown;  // of kInputBound
  // Share by which the nearest number would have to change for another class.
  double margin = kUnknown;
};

Classified Classify(const DeviceWindow& window);

// Whether a device of this class does what it was bought for.
bool IsWork(BottleneckClass bottleneck);

struct GpuBottleneck {
  size_t row = 0;  // of the job's ranks
  // Of most of the windows in which it works; kIdle or kInputBound if it rests for too much of the
  // job. Hangs, checkpoints and evaluations do not count: they are no property of the work.
  BottleneckClass bottleneck = BottleneckClass::kUnknown;
  HostCause host_cause = HostCause::kUnknown;
  double least_margin = kUnknown;            // over windows of that class
  double share[kBottleneckClassCount] = {};  // of its windows
  std::vector<BottleneckFlag> flags;
  std::vector<Evidence> evidence;  // means over windows of that class
};

struct ClassifiedWindow {
  TimeRange time;
  std::vector<Classified> gpus;  // one per rank of the job
};

struct BottleneckAnswer {
  BottleneckClass verdict = BottleneckClass::kUnknown;  // of the job
  std::vector<GpuBottleneck> gpus = {};
  std::vector<ClassifiedWindow> windows = {};
  std::vector<Evidence> evidence = {};    // from steps
  std::vector<std::string> missing = {};  // counters that would tell more
  HostCause host_cause = HostCause::kUnknown;
  Confidence confidence = {};
};

struct BottleneckInput {
  const Job& job;
  const StepTable& steps;                // may be empty
  std::span<const GpuCounters> devices;  // one per rank of the job, or none
  int64_t world_size = 0;                // 0: as many as the job has ranks
};

// The counters that classes are told by.
std::span<const DeviceCounter> CountersOfClasses();

// Windows of at least 5 s, 10 steps and two samples; the first seconds of a job are left out.
BottleneckAnswer FindBottlenecks(const BottleneckInput& input);

}  // namespace lockstep::training

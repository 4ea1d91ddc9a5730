// What bounds each GPU, window by window.
//
// A decision tree: the first condition that holds decides. Each window carries the numbers that
// were compared and the margin of the closest decision.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/confidence.h"
#include "training/job/evidence.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

enum class BottleneckClass {
  kIdle,                // nothing is running
  kInputBound,          // the device waits for its host: loader, copies, launches
  kFakeLoad,            // looks busy but does almost no work
  kWaiting,             // spins in a collective without data exchange: another rank is late
  kCommunicationBound,  // exchanges data and computes little
  kMemoryBound,
  kLatencyBound,  // threads wait for memory accesses; neither bandwidth nor arithmetic is the limit
  kComputeBound,  // an arithmetic pipe is busy
  kUnknown,       // a deciding counter is missing, or the counters match no known kind of work
};
inline constexpr size_t kBottleneckClassCount = static_cast<size_t>(BottleneckClass::kUnknown) + 1;

std::string_view Name(BottleneckClass bottleneck);
// Advice on what to try.
std::string_view Advice(BottleneckClass bottleneck);

// What an input-bound device waits for.
enum class HostCause {
  kUnknown,
  kData,      // the trainer logs time spent waiting for input
  kCopies,    // copies over PCIe
  kLaunches,  // its kernels are tiny: the host cannot launch them fast enough
};
inline constexpr size_t kHostCauseCount = static_cast<size_t>(HostCause::kLaunches) + 1;
std::string_view Name(HostCause cause);

// Conditions that apply in addition to the class.
enum class BottleneckFlag {
  kThrottled,
  kPowerBraked,
  kPowerCapped,  // at its power limit: normal in training
  kHot,
  kUnhealthy,
  kMemoryNearlyFull,
  kLowOccupancy,   // few warps; only a hint
  kNoTensorCores,  // computes without tensor cores
  kFewTensorCores,
};
std::string_view Name(BottleneckFlag flag);
std::string_view Advice(BottleneckFlag flag);

// Means of one device in one window; kUnknown if not reported.
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
  double link_bytes_per_s = kUnknown;  // all links, one direction; unknown for an unknown model
  double power_share = kUnknown;       // of the power limit
  bool has_peers = true;               // a single-rank job neither exchanges data nor waits
};

// The means of `device` in `time`, without the fields that depend on its model or its job.
DeviceWindow MeansIn(const GpuCounters& device, const TimeRange& time);

struct Classified {
  BottleneckClass bottleneck = BottleneckClass::kUnknown;
  HostCause host_cause = HostCause::kUnknown;  // for kInputBound
  // Relative change of the closest number that would give another class.
  double margin = kUnknown;
};

Classified Classify(const DeviceWindow& window);

// Whether a device of this class does useful work.
bool IsWork(BottleneckClass bottleneck);

struct GpuBottleneck {
  size_t row = 0;  // of the job's ranks
  // The most frequent class of the windows in which it works; kIdle or kInputBound if it is idle
  // for too much of the job. Hangs, checkpoints and evaluations do not count.
  BottleneckClass bottleneck = BottleneckClass::kUnknown;
  HostCause host_cause = HostCause::kUnknown;
  double least_margin = kUnknown;            // over windows of that class
  double share[kBottleneckClassCount] = {};  // of its windows, by class
  std::vector<BottleneckFlag> flags;
  std::vector<Evidence> evidence;  // means over windows of that class
};

struct ClassifiedWindow {
  TimeRange time;
  std::vector<Classified> gpus;  // one per rank of the job
};

struct BottleneckAnswer {
  BottleneckClass verdict = BottleneckClass::kUnknown;  // for the whole job
  std::vector<GpuBottleneck> gpus = {};
  std::vector<ClassifiedWindow> windows = {};
  std::vector<Evidence> evidence = {};    // from steps
  std::vector<std::string> missing = {};  // counters that would improve the answer
  HostCause host_cause = HostCause::kUnknown;
  Confidence confidence = {};
};

struct BottleneckInput {
  const Job& job;
  const StepTable& steps;                // may be empty
  std::span<const GpuCounters> devices;  // one per rank of the job, or empty
  int64_t world_size = 0;                // 0: the number of the job's ranks
};

// The counters that classification uses.
std::span<const Role> CountersOfClasses();

// Uses windows of at least 5 s, 10 steps and two samples; skips the first seconds of a job.
BottleneckAnswer FindBottlenecks(const BottleneckInput& input);

}  // namespace lockstep::training

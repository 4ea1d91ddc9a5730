// Where every GPU-second of a job went. Each is in exactly one bin, and the bins add up to the
// job's wall time multiplied by its GPUs.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/confidence.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

enum class LedgerBin {
  kProductive,            // steps that count: compute, copies in between, the loop itself
  kStragglerWait,         // waiting in a collective for a slower rank
  kDataStall,             // waiting for input or copying it
  kCommunicationExposed,  // communication not hidden by compute; even the last rank spends it
  kRecomputed,            // steps that an earlier attempt had already done
  kRecovery,              // between attempts
  kStartUp,               // before the first step of an attempt, and that step's extra time
  kIdleHeld,              // after the last step
  kUnhealthy,             // the extra time of hanging steps
  kCheckpoint,            // writing checkpoints while the job waits
  kEvaluation,
  kPause,      // other phases that the trainer logs, and pauses that recur at regular intervals
  kHostStall,  // the device idles during its step: launches, Python, loaders that are not logged
  kFakeLoad,   // the device looks busy but does almost no work
};
inline constexpr size_t kLedgerBinCount = static_cast<size_t>(LedgerBin::kFakeLoad) + 1;

std::string_view Name(LedgerBin bin);

// One start of the job. Attempts do not overlap.
struct Attempt {
  TimeRange time;                    // from the launch to the end of its processes
  const StepTable* steps = nullptr;  // not null
  // One per rank of the job, or empty. Used where phases do not show where the time of a step went.
  std::span<const GpuCounters> devices = {};
};

struct Ledger {
  std::array<double, kLedgerBinCount> gpu_seconds = {};
  double wall_seconds = 0;
  size_t gpu_count = 0;
  Confidence confidence = {};

  double& operator[](LedgerBin bin) { return gpu_seconds[static_cast<size_t>(bin)]; }
  double operator[](LedgerBin bin) const { return gpu_seconds[static_cast<size_t>(bin)]; }

  double Total() const { return wall_seconds * static_cast<double>(gpu_count); }
  // The sum of all bins except the productive one.
  double Wasted() const;
  // Share of the total time in the productive bin.
  double Goodput() const { return (*this)[LedgerBin::kProductive] / Total(); }
  // Effective training time ratio: the share spent in steps that count, slow or not.
  double EffectiveTrainingTimeRatio() const;
};

// `attempts` are in time order. Without phases and devices, an entire step counts as productive.
// Ranks that share a GPU share its seconds.
Ledger LedgerOf(const Job& job, const TimeRange& time, std::span<const Attempt> attempts);

// The bins at the end of a step.
struct LedgerPoint {
  int64_t time_ms = 0;
  std::array<double, kLedgerBinCount> gpu_seconds = {};
};

// Like LedgerOf(), but returns the bins after each step of each attempt.
std::vector<LedgerPoint> LedgerCourseOf(const Job& job, const TimeRange& time,
                                        std::span<const Attempt> attempts);

struct Bill {
  double gpu_hours = 0;
  double cost = 0;         // in the currency of the price
  double wasted_cost = 0;  // of all bins except the productive one
  std::array<double, kLedgerBinCount> cost_of_bin = {};
};

Bill BillOf(const Ledger& ledger, double price_per_gpu_hour);

struct EnergyUse {
  double joules = kUnknown;  // of all the job's devices
  double joules_per_step = kUnknown;
  double joules_per_token = kUnknown;
  double cost = kUnknown;      // in the currency of the price
  bool is_from_power = false;  // from power samples, not from an energy counter
};

// A GPU shared by several ranks of `job` counts once.
EnergyUse EnergyOf(const Job& job, std::span<const GpuCounters> devices, const TimeRange& time,
                   double steps, double tokens, double price_per_kwh);

}  // namespace lockstep::training

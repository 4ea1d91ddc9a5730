// Where every GPU-second of a job went. Each is in exactly one bin, and the bins add up to the job's wall
// clock times its GPUs.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "training/confidence.h"
#include "training/devices.h"
#include "training/job.h"
#include "training/steps.h"

namespace lockstep::training {

enum class LedgerBin {
  kProductive,            // steps that count: compute, copies between, the loop itself
  kStragglerWait,         // waiting in a collective for a later rank
  kDataStall,             // waiting for input or copying it
  kCommunicationExposed,  // exchanging with nothing else to do: what even the last rank spends in it
  kRecomputed,            // steps that an earlier attempt had done already
  kRecovery,              // between attempts
  kStartUp,     // before the first step of an attempt, and what that takes more than others
  kIdleHeld,    // after the last step
  kUnhealthy,   // what hanging steps take more than usual
  kCheckpoint,  // writing checkpoints while the job waits
  kEvaluation,
  kPause,      // other phases that the trainer logs, and pauses that come back at regular intervals
  kHostStall,  // the device rests while its step goes on: launches, Python, loaders that are not logged
  kFakeLoad,  // the device looks busy and does next to no work
};
inline constexpr size_t kLedgerBinCount = static_cast<size_t>(LedgerBin::kFakeLoad) + 1;

std::string_view Name(LedgerBin bin);

// A start of the job. Attempts do not overlap.
struct Attempt {
  TimeRange time;                    // from the launch to the end of its processes
  const StepTable* steps = nullptr;  // not null
  // One per rank of the job, or none. Where phases do not tell where the time of a step went, they do.
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
  // All bins but the productive one.
  double Wasted() const;
  // Share of the bought time that was spent in the productive bin.
  double Goodput() const { return (*this)[LedgerBin::kProductive] / Total(); }
  // Effective training time: the share spent in steps that count, slow or not.
  double EffectiveTrainingTimeRatio() const;
};

// `attempts` in order of time. Where neither phases nor devices tell more, a step is productive as a
// whole. Ranks that share a GPU share its seconds.
Ledger LedgerOf(const Job& job, const TimeRange& time, std::span<const Attempt> attempts);

// What the bins held when a step ended.
struct LedgerPoint {
  int64_t time_ms = 0;
  std::array<double, kLedgerBinCount> gpu_seconds = {};
};

// After each step of each attempt; otherwise as LedgerOf.
std::vector<LedgerPoint> LedgerCourseOf(const Job& job, const TimeRange& time,
                                        std::span<const Attempt> attempts);

struct Bill {
  double gpu_hours = 0;
  double cost = 0;         // in the currency of the price
  double wasted_cost = 0;  // of all bins but the productive one
  std::array<double, kLedgerBinCount> cost_of_bin = {};
};

Bill BillOf(const Ledger& ledger, double price_per_gpu_hour);

struct EnergyUse {
  double joules = kUnknown;  // of all devices of the job
  double joules_per_step = kUnknown;
  double joules_per_token = kUnknown;
  double cost = kUnknown;      // in the currency of the price
  bool is_from_power = false;  // from samples of power, not from an energy counter
};

// A GPU that several ranks of `job` share counts once.
EnergyUse EnergyOf(const Job& job, std::span<const GpuCounters> devices, const TimeRange& time,
                   double steps, double tokens, double price_per_kwh);

}  // namespace lockstep::training

// Finds which rank holds a job back, since when, why, and what that costs.
//
// In synchronous training all ranks leave a collective together, so all report the same step time.
// A late rank waits least: its own time (the step without waiting) is longer than that of ranks
// with the same work. A rank is named if it is late by more than healthy devices differ in nearly
// all steps of an episode; docs/training-answers.md gives the reason for each threshold.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/task_pool.h"
#include "training/devices/devices.h"
#include "training/devices/links.h"
#include "training/job/confidence.h"
#include "training/job/evidence.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

struct StragglerMemo;

// Strongest first.
enum class StragglerMethod { kCollectiveWaits, kPhaseTimes, kOwnTime, kDeviceCounters, kStepTime };

enum class StragglerVerdict {
  kSlowRank,        // these ranks hold the others back
  kUnevenWork,      // a different rank is slowest each time: no machine is to blame
  kStageImbalance,  // one pipeline stage has more work than the others
  kJobSlowAll,      // steps became slower, and no rank stands out (or none can be named)
  kNone,
  kUndersampled,  // too few samples to detect problems
  kNoData,
};

// Where a late rank spends its time.
enum class StragglerCause { kLoader, kHostToDevice, kGpu, kNetwork, kNode, kOther, kUnknown };

// Why a GPU is late, if device counters show it.
enum class GpuReason {
  kUnknown,
  kMoreWork,
  kThrottled,
  kPowerCapped,
  kClocks,
  kMemoryTemperature,
  kUnhealthy
};

std::string_view Name(StragglerMethod method);
std::string_view Name(StragglerVerdict verdict);
std::string_view Name(StragglerCause cause);
std::string_view Name(GpuReason reason);

struct StragglerEpisode {
  TimeRange time = {};
  std::optional<int64_t> first_step = {};  // if the method knows steps
  std::optional<int64_t> last_step = {};
  bool is_open = false;  // lasts to the end of the data
};

struct SlowRankFinding {
  size_t row = 0;  // of the job's ranks
  StragglerCause cause = StragglerCause::kUnknown;
  GpuReason gpu_reason = GpuReason::kUnknown;
  // How late it is, as a share of the step (device counters: as a ratio of time). Waiting peers
  // cool down and run faster, so this is slightly more than what the job lost.
  double score = kUnknown;
  double persistence = kUnknown;  // share of the episodes' steps in which it is slowest
  std::vector<StragglerEpisode> episodes = {};
  double lost_seconds = kUnknown;  // job time lost to this rank; an upper bound
  std::vector<Evidence> evidence = {};
};

// How fast the job would be without the named ranks.
struct WhatIf {
  double step_seconds_now = kUnknown;      // median during episodes
  double step_seconds_before = kUnknown;   // median outside episodes
  double step_seconds_without = kUnknown;  // replayed with the slowest of the other ranks
};

struct StragglerAnswer {
  StragglerMethod method = StragglerMethod::kStepTime;
  StragglerVerdict verdict = StragglerVerdict::kNoData;
  std::vector<StragglerVerdict> also = {};  // other verdicts, less specific than `verdict`
  std::vector<SlowRankFinding> ranks = {};  // latest first
  // Since when the job is slow, if no rank can be named.
  std::optional<StragglerEpisode> slow_since = {};
  WhatIf what_if = {};
  double lost_seconds = 0;      // job time lost to all named ranks
  double lost_gpu_seconds = 0;  // lost_seconds multiplied by the number of ranks
  std::vector<Evidence> evidence = {};
  std::vector<std::string> missing = {};  // signals that would improve the answer
  Confidence confidence = {};
};

struct StragglerInput {
  const Job& job;
  const StepTable& steps;                   // may be empty
  std::span<const GpuCounters> devices;     // one per rank of the job, or empty
  TaskPool* pool = nullptr;                 // for large jobs; may be null
  std::span<const NetworkLink> links = {};  // of the job's hosts, as far as known
  StragglerMemo* memo = nullptr;            // from earlier calls with the same, growing table
};

// Uses the strongest method that the data support.
StragglerAnswer FindStragglers(const StragglerInput& input);

// Uses `method`. If the data do not support it, the verdict is kNoData and `missing` is set.
StragglerAnswer FindStragglersBy(StragglerMethod method, const StragglerInput& input);

}  // namespace lockstep::training

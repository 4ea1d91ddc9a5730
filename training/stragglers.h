// Which rank holds a job back, since when, why, and what that costs.
//
// In synchronous training all ranks leave a collective together, so all report the same step time. The
// rank that is late waits least: its own time (all of the step but waiting) is longer than that of the
// ranks that do the same work. A rank is named if it is late by more than healthy devices differ, in
// nearly all steps of an episode; docs/training-answers.md says how each threshold came about.
//
// Pure functions: any thread, nothing kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/task_pool.h"
#include "training/confidence.h"
#include "training/devices.h"
#include "training/evidence.h"
#include "training/job.h"
#include "training/links.h"
#include "training/steps.h"

namespace lockstep::training {

struct StragglerMemo;

// Strongest first.
enum class StragglerMethod { kCollectiveWaits, kPhaseTimes, kOwnTime, kDeviceCounters, kStepTime };

enum class StragglerVerdict {
  kSlowRank,        // these ranks hold the others back
  kUnevenWork,      // another rank is the slowest each time: no machine to blame
  kStageImbalance,  // one pipeline stage has more to do than the others
  kJobSlowAll,      // steps became longer, and no rank stands out (or none can be told)
  kNone,
  kUndersampled,  // too few samples to see what other samples might have shown
  kNoData,
};

// Where a late rank spends its time.
enum class StragglerCause { kLoader, kHostToDevice, kGpu, kNetwork, kNode, kOther, kUnknown };

// What makes a GPU late, where device counters tell.
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
  std::optional<int64_t> first_step = {};  // where the method knows steps
  std::optional<int64_t> last_step = {};
  bool is_open = false;  // lasts to the end of the data
};

struct SlowRankFinding {
  size_t row = 0;  // of the job's ranks
  StragglerCause cause = StragglerCause::kUnknown;
  GpuReason gpu_reason = GpuReason::kUnknown;
  // How late it is, as a share of the step (device counters: as a ratio of time). Peers that wait cool
  // down and run faster, so this is somewhat more than what the job lost.
  double score = kUnknown;
  double persistence = kUnknown;  // share of the episodes' steps in which it is the slowest
  std::vector<StragglerEpisode> episodes = {};
  double lost_seconds = kUnknown;  // of the job's time, because of this rank; an upper bound
  std::vector<Evidence> evidence = {};
};

// What the job would do without the named ranks.
struct WhatIf {
  double step_seconds_now = kUnknown;      // median during episodes
  double step_seconds_before = kUnknown;   // median outside of them
  double step_seconds_without = kUnknown;  // replayed with the slowest of the other ranks
};

struct StragglerAnswer {
  StragglerMethod method = StragglerMethod::kStepTime;
  StragglerVerdict verdict = StragglerVerdict::kNoData;
  std::vector<StragglerVerdict> also = {};  // what else is true, less telling than `verdict`
  std::vector<SlowRankFinding> ranks = {};  // the latest one first
  // Of the job, where no rank can be named: since when it is slow.
  std::optional<StragglerEpisode> slow_since = {};
  WhatIf what_if = {};
  double lost_seconds = 0;      // of the job's time, because of all named ranks
  double lost_gpu_seconds = 0;  // times all of the job's ranks
  std::vector<Evidence> evidence = {};
  std::vector<std::string> missing = {};  // signals that would tell more
  Confidence confidence = {};
};

struct StragglerInput {
  const Job& job;
  const StepTable& steps;                   // may be empty
  std::span<const GpuCounters> devices;     // one per rank of the job, or none
  TaskPool* pool = nullptr;                 // helps with large jobs, if there is one
  std::span<const NetworkLink> links = {};  // of the job's hosts, as far as they are known
  StragglerMemo* memo = nullptr;            // of earlier questions about the same, growing table
};

// By the strongest method that the data allow.
StragglerAnswer FindStragglers(const StragglerInput& input);

// By one method; kNoData if the data do not allow it, with what is missing.
StragglerAnswer FindStragglersBy(StragglerMethod method, const StragglerInput& input);

}  // namespace lockstep::training

// One verdict per job: the most serious thing that is wrong with it, in one word and one sentence.
//
// The other answers each look at one aspect. This one ranks what they found, worst first, so that
// a list, a badge and an alert can show a single word. `kHealthy` is a finding of its own: it needs
// evidence of work, and a job about which too little is known is `kUnknown`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/bottlenecks.h"
#include "training/confidence.h"
#include "training/discovery.h"
#include "training/events.h"
#include "training/frontier.h"
#include "training/job.h"
#include "training/steps.h"
#include "training/stragglers.h"

namespace lockstep::training {

// Worst first.
enum class JobVerdict {
  kCrashed,             // its processes are gone before it was done
  kHanging,             // its processes are there, and no step ends
  kNotReporting,        // some ranks have sent nothing for long while others go on
  kDiverged,            // its loss is no number any more
  kFailingDevice,       // a device reports uncorrectable errors: drain it
  kSlowRank,            // one or more ranks hold the others back now
  kUnevenWork,          // another rank or stage is the slowest each time
  kNetwork,             // ranks wait for a link or the fabric
  kSlower,              // steps became longer, and no rank stands out
  kInputBound,          // devices wait for data or copies
  kCommunicationBound,  // devices exchange more than they compute
  kFakeLoad,            // devices look busy and do next to no work
  kIdle,                // devices are held and do nothing
  kThrottled,           // clocks are lowered by heat or by the power supply
  kMemoryLeak,          // device memory grows and grows
  kMemoryBound,
  kLatencyBound,  // threads wait for single memory accesses
  kLaunchBound,   // devices wait for the host to launch kernels
  kHealthy,
  kUnknown,  // too little is known to call it healthy
};
inline constexpr size_t kJobVerdictCount = static_cast<size_t>(JobVerdict::kUnknown) + 1;

// As in JSON and in the label `verdict`: "slow_rank".
std::string_view Name(JobVerdict verdict);

// Everything the verdict depends on. Only `job` and `steps` are required; what is not known stays
// empty and is listed as missing.
struct JobVerdictInput {
  const Job& job;
  const StepTable& steps;  // may be empty
  JobState state = JobState::kUnknown;
  std::span<const NotReportingRank> not_reporting = {};
  const StragglerAnswer* stragglers = nullptr;
  const BottleneckAnswer* bottlenecks = nullptr;
  std::span<const Event> events = {};
};

struct JobVerdictAnswer {
  JobVerdict verdict = JobVerdict::kUnknown;
  std::vector<JobVerdict> also = {};  // what else holds, worst first; never kHealthy or kUnknown
  std::string sentence = {};          // one sentence that says why, for people
  std::vector<size_t> rows = {};      // ranks the verdict is about; empty: the job as a whole
  Confidence confidence = {};
};

// Pure: any thread, nothing kept. Only what holds at the end of the data counts: an episode that is
// over is history, not the verdict.
JobVerdictAnswer VerdictOf(const JobVerdictInput& input);

}  // namespace lockstep::training

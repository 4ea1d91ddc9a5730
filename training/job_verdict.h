// One verdict per job: its most serious problem, in one word and one sentence.
//
// The other answers each cover one aspect. This one ranks their findings, worst first, so that a
// list, a badge or an alert can show a single word. `kHealthy` needs evidence of work; a job with
// too little data is `kUnknown`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/bottlenecks/bottlenecks.h"
#include "training/events/events.h"
#include "training/job/confidence.h"
#include "training/job/discovery.h"
#include "training/job/frontier.h"
#include "training/job/job.h"
#include "training/job/steps.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {

// Worst first.
enum class JobVerdict {
  kCrashed,             // its processes died before it finished
  kHanging,             // its processes are alive, but no step ends
  kNotReporting,        // some ranks stopped reporting while others continue
  kDiverged,            // its loss is NaN
  kFailingDevice,       // a device reports uncorrectable errors: drain its node
  kSlowRank,            // one or more ranks currently hold the others back
  kUnevenWork,          // a different rank is slowest each time, or one stage always is
  kNetwork,             // ranks wait for a link or the fabric
  kSlower,              // steps became slower, and no rank stands out
  kInputBound,          // devices wait for data or copies
  kCommunicationBound,  // devices exchange more than they compute
  kFakeLoad,            // devices look busy but do almost no work
  kIdle,                // the job holds devices but leaves them idle
  kThrottled,           // heat or the power supply lowers the clocks
  kMemoryLeak,          // device memory keeps growing
  kMemoryBound,
  kLatencyBound,  // threads wait for memory accesses
  kLaunchBound,   // devices wait for the host to launch kernels
  kHealthy,
  kUnknown,  // too little data to call it healthy
};
inline constexpr size_t kJobVerdictCount = static_cast<size_t>(JobVerdict::kUnknown) + 1;

// As in JSON and in the label `verdict`: "slow_rank".
std::string_view Name(JobVerdict verdict);

// Everything the verdict depends on. Only `job` and `steps` are required; unknown fields stay empty
// and are listed as missing.
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
  std::vector<JobVerdict> also = {};  // other problems, worst first; never kHealthy or kUnknown
  std::string sentence = {};          // the reason, in one sentence for people
  std::vector<size_t> rows = {};      // ranks that the verdict is about; empty: the whole job
  Confidence confidence = {};
};

// Pure function. Considers only problems that persist at the end of the data; an episode that is
// over is history.
JobVerdictAnswer VerdictOf(const JobVerdictInput& input);

}  // namespace lockstep::training

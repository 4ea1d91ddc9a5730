// The frontier of a running job: the last step that every rank has reported.
//
// Each rank sends its steps in batches, at its own moment, so the newest steps are known of some
// ranks only. What compares ranks looks at the steps up to the frontier. A rank that has been silent
// for long while the others went on is *not reporting*: it neither holds the frontier back nor takes
// part in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "training/job.h"

namespace lockstep::training {

// A rank that has sent nothing for long while others report.
struct NotReportingRank {
  size_t row = 0;        // of the job's ranks
  int64_t since_ms = 0;  // Unix time: when the others ended the first step that it did not report
  std::optional<int64_t> last_step = {};  // nothing: it has never reported a step

  bool operator==(const NotReportingRank&) const = default;
};

// What one rank has reported in the attempt.
struct RankProgress {
  std::optional<int64_t> last_step = {};  // nothing: no step
  int64_t stride = 1;                     // it reports every so many steps; at least 1
  bool has_exited = false;                // its process ended: nothing more will come
  // When the others ended the first step that it did not report, where that is known from before: the step itself need
  // not be among those that are looked at.
  std::optional<int64_t> owed_since_ms = {};
};

struct Frontier {
  std::optional<int64_t> step = {};                  // nothing: no step is complete
  std::vector<NotReportingRank> not_reporting = {};  // ascending by row
  // Of each rank, RankProgress::owed_since_ms as it is now.
  std::vector<std::optional<int64_t>> owed_since_ms = {};
};

// A sender may be late by this much, and by three times what the middle of the ranks is late by,
// before its rank counts as not reporting: senders that push once a minute are all late.
inline constexpr int64_t kPatienceMs = 30'000;

// `step` are all steps that anyone has reported, ascending; `end_ms` is when the last rank that has
// reported one of them ended it. A rank without steps is waited for only if two thirds of the ranks
// report, as in many jobs only the first rank does.
Frontier FrontierOf(std::span<const RankProgress> ranks, std::span<const int64_t> step,
                    std::span<const int64_t> end_ms);

// How many steps lie between two reports of a rank: the median. `step` are its steps in order of time.
int64_t StrideOf(std::span<const int64_t> step);

}  // namespace lockstep::training

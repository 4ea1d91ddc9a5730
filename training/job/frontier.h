// The frontier of a running job: the last step that every rank has reported.
//
// Each rank sends its steps in batches at its own time, so the newest steps are known for some
// ranks only. Comparisons between ranks use the steps up to the frontier. A rank that has been
// silent for long while the others went on is *not reporting*: it does not hold the frontier back
// and is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "training/job/job.h"

namespace lockstep::training {

// A rank that has stopped sending steps while others still report.
struct NotReportingRank {
  size_t row = 0;        // of the job's ranks
  int64_t since_ms = 0;  // Unix time when the others ended the first step that it did not report
  std::optional<int64_t> last_step = {};  // empty if it has never reported a step

  bool operator==(const NotReportingRank&) const = default;
};

// What one rank has reported in this attempt.
struct RankProgress {
  std::optional<int64_t> last_step = {};  // empty if none
  int64_t stride = 1;                     // steps between two reports; at least 1
  bool has_exited = false;                // its process ended, so nothing more will arrive
  // When the others ended the first step that it did not report, if known from an earlier call. The
  // step itself may be outside the window.
  std::optional<int64_t> owed_since_ms = {};
};

struct Frontier {
  std::optional<int64_t> step = {};                  // empty if no step is complete
  std::vector<NotReportingRank> not_reporting = {};  // ascending by row
  // By rank: the new RankProgress::owed_since_ms.
  std::vector<std::optional<int64_t>> owed_since_ms = {};
};

// A rank counts as not reporting once it is later than this plus three times the median lateness of
// all ranks: senders that push once a minute are all late.
inline constexpr int64_t kPatienceMs = 30'000;

// `step` holds all steps that any rank has reported, ascending; `end_ms` holds when the last rank
// to report each one ended it. Waits for a rank without steps only if two thirds of the ranks
// report, because in many jobs only the first rank does.
Frontier FrontierOf(std::span<const RankProgress> ranks, std::span<const int64_t> step,
                    std::span<const int64_t> end_ms);

// Median number of steps between two reports of a rank. `step` holds its steps in time order.
int64_t StrideOf(std::span<const int64_t> step);

}  // namespace lockstep::training

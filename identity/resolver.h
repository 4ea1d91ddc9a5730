// The resolver: turns sightings with their times into who ran where and when. Pure; safe from any
// thread; keeps nothing.
//
// A *placement* is one rank of one attempt on one GPU for a time. Attempts are distinguished by
// their numbers if labels have them, otherwise by steps that go back; a GPU that several attempts
// used has a placement in each. Times are those of samples, so a placement covers only the known
// time. A registration without an end lasts until its attempt is last seen, the next attempt
// begins, or another job is registered on the GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "identity/sighting.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep::identity {

// One series, and when it had samples.
struct SeenSeries {
  enum class Kind : uint8_t { kRegistration, kSteps, kDevice };

  Kind kind = Kind::kDevice;
  Sighting who;
  std::string instance = {};  // the target or process
  // Ascending, not touching. kSteps: one range for each time that the step went back, and for
  // pauses; kRegistration: one range for each time that it was announced, with max_ms unspecified
  // while `is_open`.
  std::vector<TimeRange> seen;
  bool is_open = false;  // the last range of `seen` has no end: kRegistration only
  // kSteps: seen[i] belongs to another attempt than seen[i - 1]. Empty: all belong to the same
  // attempt.
  std::vector<bool> begins_attempt = {};
};

struct Placement {
  int64_t attempt = 0;
  int64_t rank = 0;
  Seat seat;  // empty: the rank's GPU is unknown
  Coordinates coordinates;
  TimeRange time;
  Source source = Source::kLabels;
  // A device's series belong to the rank if they match all matchers of one of these sets, and only
  // with their samples in `time`.
  std::vector<std::vector<Matcher>> device_matchers;
};

struct JobIdentity {
  std::string job;
  std::vector<Placement> placements;  // by attempt, rank, time
  std::optional<int64_t> world_size;  // as reported; absent: not reported
  std::vector<std::string> warnings;
};

// Uses the series in `seen` that belong to `job`, and, for seats, those that name no job. `range`
// is the requested range; nothing outside of it is known.
JobIdentity ResolveJob(std::string_view job, std::span<const SeenSeries> seen, TimeRange range);

}  // namespace lockstep::identity

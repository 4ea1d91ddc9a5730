// The resolver: sightings with their times to who ran where, when. Pure: any thread, nothing kept.
//
// A *placement* is one rank of one attempt on one GPU for a time. Attempts are told by their numbers where labels say
// them, else by steps that go back; a GPU that several attempts used has a placement in each. Times are those of samples,
// so a placement is as long as what is known of it; a registration without an end lasts until its attempt is seen last,
// the next attempt begins, or another job is registered on the GPU.
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
  std::string instance = {};  // of the target or process
  // Ascending, not touching. kSteps: one for each time that the step went back, and for pauses; kRegistration: one for
  // each time that it was announced, max_ms unspecified while `is_open`.
  std::vector<TimeRange> seen;
  bool is_open = false;  // the last of `seen` has no end: kRegistration only
  // kSteps: seen[i] is of another attempt than seen[i - 1]. Empty: none of them.
  std::vector<bool> begins_attempt = {};
};

struct Placement {
  int64_t attempt = 0;
  int64_t rank = 0;
  Seat seat;  // empty: the rank's GPU is not known
  Coordinates coordinates;
  TimeRange time;
  Source source = Source::kLabels;
  // A device's series are the rank's if they match all of one of these, and only their samples in `time` are.
  std::vector<std::vector<Matcher>> device_matchers;
};

struct JobIdentity {
  std::string job;
  std::vector<Placement> placements;  // by attempt, rank, time
  std::optional<int64_t> world_size;  // as reported; absent: not
  std::vector<std::string> warnings;
};

// Of the series in `seen`, those of `job`, and those that name no job for what they say of seats. `range`: what was asked
// for; nothing is known outside of it.
JobIdentity ResolveJob(std::string_view job, std::span<const SeenSeries> seen, TimeRange range);

}  // namespace lockstep::identity

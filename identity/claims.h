// Claims: what single series say of a job's ranks, put in one form. Between the resolver's sources.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "identity/resolver.h"
#include "identity/seat_book.h"

namespace lockstep::identity {

struct Claim {
  std::optional<int64_t> attempt;
  int64_t rank = 0;
  Seat seat;
  Coordinates coordinates;
  TimeRange time;
  bool is_open = false;  // a registration's end is not known, and time.max_ms means nothing
  int64_t last_ms = kAllTimes.max_ms;  // of an open one, at the latest
  Source source = Source::kLabels;
};

// A GPU that the job has, as its series say, but not for which rank.
struct FreeGpu {
  Seat seat;
  std::optional<int64_t> node_rank;
  TimeRange time;
  Source source = Source::kLabels;
};

struct JobClaims {
  std::vector<Claim> claims;
  std::vector<FreeGpu> gpus;
};

JobClaims ClaimsOf(std::string_view job, std::span<const SeenSeries> seen, const SeatBook& seats);

// Gives the free GPUs to ranks that have none: host by host where the ranks say theirs, else all in order of node, host and
// index. Ranks are made where no rank is known at all. False if there are not as many of one as of the other.
bool SeatFreeGpus(JobClaims& claims);

}  // namespace lockstep::identity

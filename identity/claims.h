// Claims: what single series say about a job's ranks, in one common form. Used within the resolver.
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
  bool is_open = false;  // a registration whose end is unknown; time.max_ms is meaningless
  int64_t last_ms = kAllTimes.max_ms;  // latest end of an open claim
  Source source = Source::kLabels;
};

// A GPU that belongs to the job according to its series, but whose rank is unknown.
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

// Assigns the free GPUs to ranks that have none: host by host if the ranks name theirs, otherwise
// in order of node, host and index. Creates the ranks if none is known at all. Returns false if the
// numbers of GPUs and ranks differ.
bool SeatFreeGpus(JobClaims& claims);

}  // namespace lockstep::identity

// SeatBook: maps UUIDs to GPUs of hosts, using series that name both. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "identity/sighting.h"

namespace lockstep::identity {

class SeatBook {
 public:
  void Learn(const Seat& seat);
  // Fills in what is known. A GPU that was moved between hosts keeps what it says itself.
  Seat Complete(Seat seat) const;

 private:
  std::map<std::string, Seat> by_uuid_;
  std::map<std::pair<std::string, std::string>, std::string> uuid_of_;  // by host and index
};

// Whether the GPU is known, even if its host is not.
inline bool HasGpu(const Seat& seat) { return !seat.gpu.empty() || !seat.uuid.empty(); }

// Whether the two share some known field, and no known field differs.
bool MayBeSame(const Seat& a, const Seat& b);
// Adds to `seat` the fields that only `other` knows.
void Merge(const Seat& other, Seat& seat);

}  // namespace lockstep::identity

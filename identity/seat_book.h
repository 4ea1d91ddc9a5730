// SeatBook: which UUID is which GPU of which host, as series say that name both. Not thread-safe.
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

// Which GPU it is, is known, if not of which host.
inline bool HasGpu(const Seat& seat) { return !seat.gpu.empty() || !seat.uuid.empty(); }

// Nothing that is known of both differs, and there is something that is.
bool MayBeSame(const Seat& a, const Seat& b);
// `seat`, with what `other` knows more.
void Merge(const Seat& other, Seat& seat);

}  // namespace lockstep::identity

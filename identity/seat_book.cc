#include "identity/seat_book.h"

namespace lockstep::identity {
namespace {

bool Differs(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

}  // namespace

bool MayBeSame(const Seat& a, const Seat& b) {
  if (!a.uuid.empty() && a.uuid == b.uuid) return true;
  if (Differs(a.uuid, b.uuid) || Differs(a.host, b.host) || Differs(a.gpu, b.gpu)) return false;
  // The same host alone does not mean the same GPU.
  return (!a.gpu.empty() && a.gpu == b.gpu) || (a.gpu.empty() && a.uuid.empty()) ||
         (b.gpu.empty() && b.uuid.empty());
}

void Merge(const Seat& other, Seat& seat) {
  if (seat.host.empty()) seat.host = other.host;
  if (seat.gpu.empty()) seat.gpu = other.gpu;
  if (seat.uuid.empty()) seat.uuid = other.uuid;
  if (seat.model.empty()) seat.model = other.model;
}

void SeatBook::Learn(const Seat& seat) {
  if (seat.uuid.empty()) return;
  Merge(seat, by_uuid_[seat.uuid]);
  if (!seat.host.empty() && !seat.gpu.empty()) uuid_of_[{seat.host, seat.gpu}] = seat.uuid;
}

Seat SeatBook::Complete(Seat seat) const {
  if (seat.uuid.empty() && !seat.gpu.empty()) {
    const auto uuid = uuid_of_.find({seat.host, seat.gpu});
    if (uuid != uuid_of_.end()) seat.uuid = uuid->second;
  }
  const auto known = by_uuid_.find(seat.uuid);
  if (known != by_uuid_.end()) Merge(known->second, seat);
  return seat;
}

}  // namespace lockstep::identity

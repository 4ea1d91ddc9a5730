// FairConnections: the connections of a door, opened within the shares of the networks that they
// come from (server/connection_shares.h). Those that have to go for others are told so.
//
// Object is a connection: its constructor takes a ConnectionShares::Lease last, which is waiting
// then, and MakeRoom() closes it, from any thread, unless it works for somebody. Admit() and Open()
// are called on one thread, the listener's; everything else is safe from any.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/client_id.h"
#include "server/connection_shares.h"
#include "server/live_objects.h"

namespace lockstep::server {

template <typename Object>
class FairConnections {
 public:
  FairConnections(size_t max_open, size_t max_reserved) : shares_(max_open, max_reserved) {}

  void SetMaxOpen(size_t max_open) { shares_.SetMaxOpen(max_open); }

  // Whether a connection from that address may be opened; if so, Open() follows at once.
  bool Admit(const std::string& address) {
    ConnectionShares::Opened opened = shares_.Open(NetworkOfAddress(address));
    MakeRoom(opened.to_close);
    next_lease_ = std::move(opened.lease);
    return static_cast<bool>(next_lease_);
  }
  // Null once this is closed.
  template <typename... Arguments>
  std::shared_ptr<Object> Open(Arguments&&... arguments) {
    const uint64_t id = next_lease_.id();
    return alive_.OpenAs(id, std::forward<Arguments>(arguments)..., std::move(next_lease_));
  }

  // Whether new ones should wait until those that are to close have done so.
  bool are_closing_many() const { return shares_.is_closing_many(); }
  // There are no file handles left: the connection that has waited longest goes.
  void MakeRoom() { MakeRoom(shares_.TakeLongestWaiting()); }

  LiveObjects<Object>& alive() { return alive_; }
  size_t size() const { return alive_.size(); }

 private:
  void MakeRoom(std::optional<uint64_t> lease) {
    if (!lease.has_value()) return;
    if (const std::shared_ptr<Object> object = alive_.Find(*lease)) object->MakeRoom();
  }

  ConnectionShares shares_;
  LiveObjects<Object> alive_;  // by the numbers of their leases
  ConnectionShares::Lease next_lease_;
};

}  // namespace lockstep::server

// ClientId: the client that the server's limits count a connection or request for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

struct ClientId {
  std::string network;                  // see NetworkOfAddress(); "" if the address is unknown
  std::string user;                     // the name of the credential; "" if there is none
  uint64_t max_samples_per_second = 0;  // limit of this credential; 0: no limit of its own
};

// "10.0.0.1" for "10.0.0.1:4242"; "::1" for "[::1]:4242".
std::string HostOfAddress(std::string_view address);

// An IPv4 address, or the /64 of an IPv6 address, which is what one customer gets.
std::string NetworkOfAddress(std::string_view address);

}  // namespace lockstep

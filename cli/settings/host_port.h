// HostPort: the two parts of "127.0.0.1:9009".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::cli {

struct HostPort {
  std::string host;  // an IP address, without brackets
  uint16_t port = 0;
};

// Parses "HOST:PORT", "[IPV6]:PORT", or ":PORT" for all addresses of the machine. "localhost"
// becomes 127.0.0.1, because a minimal system may not resolve it.
absl::StatusOr<HostPort> ParseHostPort(std::string_view text);

}  // namespace lockstep::cli

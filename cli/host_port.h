// HostPort: "127.0.0.1:9009" in its two parts.
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

// "HOST:PORT", "[IPV6]:PORT", or ":PORT" for every address of the machine. "localhost" is
// 127.0.0.1, as a minimal system may not resolve it.
absl::StatusOr<HostPort> ParseHostPort(std::string_view text);

}  // namespace lockstep::cli

// The paths by which others watch the server: connections and a worker are reserved for them.
#pragma once

#include <string_view>

namespace lockstep::server {

inline bool IsProbe(std::string_view path) {
  return path == "/-/healthy" || path == "/health" || path == "/-/ready" || path == "/metrics";
}

}  // namespace lockstep::server

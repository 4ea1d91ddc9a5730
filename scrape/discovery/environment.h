// Environment variables.
#pragma once

#include <cstdlib>
#include <string_view>

namespace lockstep::scrape {

// "" if it is not set.
inline std::string_view EnvironmentAt(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace lockstep::scrape

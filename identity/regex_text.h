// Escapes text for a regular expression of a Matcher.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::identity {

// An expression that matches exactly `text`.
inline std::string EscapeRegex(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') || byte == '_' ||
                          static_cast<signed char>(byte) < 0;
    if (!is_plain) escaped += '\\';
    escaped += byte;
  }
  return escaped;
}

}  // namespace lockstep::identity

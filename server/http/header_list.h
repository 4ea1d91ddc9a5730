// Text helpers for header fields.
#pragma once

#include <string_view>

#include "absl/strings/match.h"

namespace lockstep::server {

inline bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

// Removes blanks and tabs from both ends.
inline std::string_view TrimSpace(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Calls `visit` with each item of "a, b, c".
template <typename Visit>
void ForEachListItem(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view item = TrimSpace(list.substr(0, comma));
    if (!item.empty()) visit(item);
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace lockstep::server

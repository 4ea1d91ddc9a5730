// Errors for text that cannot be parsed.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::exposition {

// kInvalidArgument. `what` is one clause.
inline absl::Status Malformed(const std::string& what) { return absl::InvalidArgumentError(what); }

// `text`, shortened for messages.
inline std::string Shown(std::string_view text) {
  constexpr size_t kMaxShownBytes = 100;
  return std::string(text.substr(0, std::min(text.find('\n'), kMaxShownBytes)));
}

}  // namespace lockstep::exposition

// Evals that do not pass yet, each with its reason. The list may only become shorter.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::promqltest {

// The reason for each gap in one script, by line.
using KnownGaps = std::map<int, std::string>;

// By script. `text` has a line "FILE:LINE REASON" for each gap; '#' begins a comment.
absl::StatusOr<std::map<std::string, KnownGaps>> ParseKnownGaps(std::string_view text);

}  // namespace lockstep::promqltest

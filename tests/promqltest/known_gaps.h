// Evals that do not pass yet, each with its reason: a list that may only become shorter.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::promqltest {

// Of one script, by line: the reason.
using KnownGaps = std::map<int, std::string>;

// By script. `text` has a line "FILE:LINE REASON" for each gap; '#' begins a comment.
absl::StatusOr<std::map<std::string, KnownGaps>> ParseKnownGaps(std::string_view text);

}  // namespace lockstep::promqltest

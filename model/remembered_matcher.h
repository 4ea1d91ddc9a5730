// Regular-expression matchers that the program itself asks for again and again, compiled once.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/matcher.h"

namespace lockstep {

// As Matcher::Make(MatchType::kRegex, name, pattern). For patterns that are lists of names, not for what clients write:
// some hundreds are kept, whatever they take once compiled. Safe from any thread.
absl::StatusOr<Matcher> RememberedRegexMatcher(std::string_view name, std::string_view pattern);

}  // namespace lockstep

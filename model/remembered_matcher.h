// Caches compiled regular-expression matchers that the program itself uses again and again.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/matcher.h"

namespace lockstep {

// Like Matcher::Make(MatchType::kRegex, name, pattern). For patterns that are lists of names, not
// for patterns from clients: some hundreds are kept, whatever their compiled size. Safe from any
// thread.
absl::StatusOr<Matcher> RememberedRegexMatcher(std::string_view name, std::string_view pattern);

}  // namespace lockstep

// Which path means what. A pattern is a path whose segments stand for themselves, but one that
// begins with ':' takes any one segment that is not empty: "/api/v1/label/:name/values". If the last
// one ends with '*', it takes all that follows: "/metrics/job/:group*".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::api {

// The value of the ':' segment (not percent-decoded; "" when the pattern has none) if `path` matches.
std::optional<std::string_view> MatchPath(std::string_view pattern, std::string_view path);

}  // namespace lockstep::api

// Matches paths to routes. In a pattern, segments match themselves, except that a segment beginning
// with ':' matches any non-empty segment: "/api/v1/label/:name/values". If the last one ends with
// '*', it matches the rest of the path: "/metrics/job/:group*".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::api {

// If `path` matches, the value of the ':' segment (not percent-decoded; "" if the pattern has
// none).
std::optional<std::string_view> MatchPath(std::string_view pattern, std::string_view path);

}  // namespace lockstep::api

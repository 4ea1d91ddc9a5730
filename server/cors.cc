#include "server/cors.h"

#include <re2/re2.h>

#include "absl/strings/str_format.h"

namespace lockstep::server {

absl::StatusOr<CorsPolicy> CorsPolicy::Make(std::string_view origin_pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto pattern = std::make_shared<const RE2>(std::string(origin_pattern), options);
  if (!pattern->ok()) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a regular expression: %s",
                                                      origin_pattern, pattern->error()));
  }
  CorsPolicy policy;
  policy.allows_all_ = origin_pattern == ".*";
  policy.pattern_ = std::move(pattern);
  return policy;
}

// The same fields as Prometheus sends (util/httputil/cors.go).
std::vector<api::Header> CorsPolicy::HeadersFor(std::string_view origin) const {
  if (origin.empty()) return {};
  std::vector<api::Header> headers = {
      {"Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Origin"},
      {"Access-Control-Allow-Methods", "GET, POST, OPTIONS"},
      {"Access-Control-Expose-Headers", "Date"},
      {"Vary", "Origin"},
  };
  if (allows_all_) {
    headers.push_back({"Access-Control-Allow-Origin", "*"});
  } else if (RE2::FullMatch(std::string(origin), *pattern_)) {
    headers.push_back({"Access-Control-Allow-Origin", std::string(origin)});
  }
  return headers;
}

}  // namespace lockstep::server

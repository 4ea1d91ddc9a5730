#include "server/http/cors.h"

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::server {

absl::StatusOr<CorsPolicy> CorsPolicy::Make(std::string_view origin_pattern) {
  if (origin_pattern.empty()) return CorsPolicy(nullptr, false);
  absl::StatusOr<Regex> pattern = Regex::Compile(origin_pattern);
  if (!pattern.ok()) {
    return Annotate(pattern.status(),
                    absl::StrFormat("\"%s\" is not a regular expression", origin_pattern));
  }
  return CorsPolicy(std::make_shared<const Regex>(*std::move(pattern)), origin_pattern == ".*");
}

bool CorsPolicy::Allows(std::string_view origin) const {
  return allows_all_ || (pattern_ != nullptr && pattern_->FullMatch(origin));
}

// The same headers as in Prometheus (util/httputil/cors.go).
std::vector<api::Header> CorsPolicy::HeadersFor(std::string_view origin) const {
  if (origin.empty() || pattern_ == nullptr) return {};
  std::vector<api::Header> headers = {
      {"Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Origin"},
      {"Access-Control-Allow-Methods", "GET, POST, OPTIONS"},
      {"Access-Control-Expose-Headers", "Date"},
      {"Vary", "Origin"},
  };
  if (allows_all_) {
    headers.push_back({"Access-Control-Allow-Origin", "*"});
  } else if (Allows(origin)) {
    headers.push_back({"Access-Control-Allow-Origin", std::string(origin)});
  }
  return headers;
}

}  // namespace lockstep::server

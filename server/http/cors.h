// CorsPolicy: decides which web pages may read responses. Immutable; copies share the expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/http.h"
#include "base/regex/regex.h"
#include "base/status.h"

namespace lockstep::server {

class CorsPolicy {
 public:
  // `origin_pattern` must match the whole Origin header; ".*" allows every page, "" none.
  static absl::StatusOr<CorsPolicy> Make(std::string_view origin_pattern);

  // Whether pages of `origin` may read responses.
  bool Allows(std::string_view origin) const;
  bool allows_all() const { return allows_all_; }

  // The headers to add to the response to a request with that Origin; none if it is empty.
  std::vector<api::Header> HeadersFor(std::string_view origin) const;

 private:
  CorsPolicy(std::shared_ptr<const Regex> pattern, bool allows_all)
      : pattern_(std::move(pattern)), allows_all_(allows_all) {}

  // Null: no page. Not an optional, because g++ 14 emits a false warning for a moved-from one.
  std::shared_ptr<const Regex> pattern_;
  bool allows_all_;
};

}  // namespace lockstep::server

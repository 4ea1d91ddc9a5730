// CorsPolicy: which web pages may read the answers. Immutable; copies share the expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "base/status.h"

namespace re2 {
class RE2;
}

namespace lockstep::server {

class CorsPolicy {
 public:
  // `origin_pattern` has to match a whole Origin header; ".*" allows every page.
  static absl::StatusOr<CorsPolicy> Make(std::string_view origin_pattern);

  // What to add to the answer to a request with that Origin; nothing for an empty one.
  std::vector<api::Header> HeadersFor(std::string_view origin) const;

 private:
  CorsPolicy() = default;

  bool allows_all_ = false;
  std::shared_ptr<const re2::RE2> pattern_;
};

}  // namespace lockstep::server

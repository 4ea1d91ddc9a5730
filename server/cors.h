// CorsPolicy: which web pages may read the answers. Immutable; copies share the expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http.h"
#include "base/regex/regex.h"
#include "base/status.h"

namespace lockstep::server {

class CorsPolicy {
 public:
  // `origin_pattern` has to match a whole Origin header; ".*" allows every page, "" none.
  static absl::StatusOr<CorsPolicy> Make(std::string_view origin_pattern);

  // Whether pages of `origin` may read answers.
  bool Allows(std::string_view origin) const;
  bool allows_all() const { return allows_all_; }

  // What to add to the answer to a request with that Origin; nothing for an empty one.
  std::vector<api::Header> HeadersFor(std::string_view origin) const;

 private:
  CorsPolicy(std::shared_ptr<const Regex> pattern, bool allows_all)
      : pattern_(std::move(pattern)), allows_all_(allows_all) {}

  // Null: no page. Not an optional: of one that was moved away g++ 14 warns falsely.
  std::shared_ptr<const Regex> pattern_;
  bool allows_all_;
};

}  // namespace lockstep::server

// BrowserGuard: keeps pages of other sites in somebody's browser from changing anything, and from reaching the server under
// a name of theirs (DNS rebinding). Immutable; safe from any thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/access.h"
#include "server/cors.h"
#include "server/request_parser.h"

namespace lockstep::server {

// Whether requests with that method may change something.
bool MayChange(std::string_view method);

struct BrowserGuardOptions {
  // Names that requests may give the server in "Host", beside IP addresses and those of this machine; nothing: any.
  std::optional<std::vector<std::string>> allowed_hosts{};
  // Where people reach the server, whose pages are its own; "": at the name that they give it.
  std::string external_url{};
};

class BrowserGuard {
 public:
  BrowserGuard(const BrowserGuardOptions& options, CorsPolicy cors);

  // Why a request is refused, for people; nothing: it is not. `role` is that of its path.
  std::optional<std::string> WhyNot(const RequestHead& head, api::Role role) const;

 private:
  bool IsAllowedHost(std::string_view host) const;
  bool IsOwnOrigin(std::string_view origin, std::string_view host) const;
  bool IsTrustedOrigin(std::string_view origin, api::Role role) const;

  std::optional<std::set<std::string>> allowed_hosts_;  // in lower case
  std::string external_origin_;                         // "https://lockstep.example"; "": none
  CorsPolicy cors_;
};

}  // namespace lockstep::server

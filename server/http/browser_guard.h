// BrowserGuard: prevents pages of other sites in a user's browser from changing anything, and from
// reaching the server under their own name (DNS rebinding). Immutable; safe from any thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/access.h"
#include "server/http/cors.h"
#include "server/http/request_parser.h"

namespace lockstep::server {

// Whether requests with that method may change something.
bool MayChange(std::string_view method);

struct BrowserGuardOptions {
  // The allowed "Host" names, besides IP addresses and names of this machine; nullopt allows any.
  std::optional<std::vector<std::string>> allowed_hosts{};
  // The server's public URL, whose pages are its own; "": the name in the request.
  std::string external_url{};
};

class BrowserGuard {
 public:
  BrowserGuard(const BrowserGuardOptions& options, CorsPolicy cors);

  // The reason for rejecting a request, for people; nullopt accepts it. `role` is the one that its
  // path requires.
  std::optional<std::string> WhyNot(const RequestHead& head, api::Role role) const;

 private:
  bool IsAllowedHost(std::string_view host) const;
  bool IsOwnOrigin(std::string_view origin, std::string_view host) const;
  bool IsTrustedOrigin(std::string_view origin, api::Role role) const;

  std::optional<std::set<std::string>> allowed_hosts_;  // lowercase
  std::string external_origin_;                         // "https://lockstep.example"; "": none
  CorsPolicy cors_;
};

}  // namespace lockstep::server

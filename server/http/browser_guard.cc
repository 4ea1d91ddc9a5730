#include "server/http/browser_guard.h"

#include <arpa/inet.h>

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "server/http/header_list.h"

namespace lockstep::server {
namespace {

constexpr size_t kMaxShownBytes = 100;

std::string Lower(std::string_view text) {
  return absl::AsciiStrToLower({text.data(), text.size()});
}

// Removes the port: "::1" from "[::1]:80".
std::string_view HostWithoutPort(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

// DNS can make names of other sites point to this machine, but not addresses.
bool IsIpAddress(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// "https://a.example" for "HTTPS://user@A.example:443/x"; "" if `url` is not a URL.
std::string OriginOf(std::string_view url) {
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos) return "";
  const std::string scheme = Lower(url.substr(0, colon));
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find('/'));
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    authority.remove_prefix(at + 1);
  }
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  if (authority.ends_with(port)) authority.remove_suffix(port.size());
  return absl::StrFormat("%s://%s", scheme, Lower(authority));
}

// The part of a header that is safe to echo.
std::string Shown(std::string_view value) {
  std::string shown(value.substr(0, kMaxShownBytes));
  for (char& c : shown) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return shown;
}

}  // namespace

bool MayChange(std::string_view method) {
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

BrowserGuard::BrowserGuard(const BrowserGuardOptions& options, CorsPolicy cors)
    : external_origin_(OriginOf(options.external_url)), cors_(std::move(cors)) {
  if (!options.allowed_hosts.has_value()) return;
  allowed_hosts_.emplace();
  for (const std::string& host : *options.allowed_hosts) allowed_hosts_->insert(Lower(host));
  if (const size_t at = external_origin_.find("://"); at != std::string::npos) {
    allowed_hosts_->emplace(HostWithoutPort(std::string_view(external_origin_).substr(at + 3)));
  }
}

std::optional<std::string> BrowserGuard::WhyNot(const RequestHead& head, api::Role role) const {
  const std::string_view host = head.header("Host");
  if (!IsAllowedHost(host)) {
    return absl::StrFormat(
        "Forbidden: \"%s\" is not a known name of this server; add it to web.allowed-hosts.",
        Shown(host));
  }
  if (!MayChange(head.method)) return std::nullopt;
  const std::string_view origin = head.header("Origin");
  if (!origin.empty()) {
    if (IsOwnOrigin(origin, host) || IsTrustedOrigin(origin, role)) return std::nullopt;
    return absl::StrFormat(
        "Forbidden: pages from \"%s\" may not make changes; allow them with web.cors.origin.",
        Shown(origin));
  }
  const std::string_view site = head.header("Sec-Fetch-Site");
  if (site.empty() || site == "same-origin" || site == "none") return std::nullopt;
  return "Forbidden: pages from other sites may not make changes.";
}

bool BrowserGuard::IsAllowedHost(std::string_view host) const {
  // Clients older than HTTP/1.1 send no Host, and are not browsers.
  if (!allowed_hosts_.has_value() || host.empty()) return true;
  const std::string name = Lower(HostWithoutPort(host));
  return name == "localhost" || name.ends_with(".localhost") || IsIpAddress(name) ||
         allowed_hosts_->contains(name);
}

// Compares only the host, because a proxy that terminates TLS hides the scheme.
bool BrowserGuard::IsOwnOrigin(std::string_view origin, std::string_view host) const {
  const std::string normal = OriginOf(origin);
  if (normal.empty()) return false;
  if (normal == external_origin_) return true;
  const std::string_view scheme = std::string_view(normal).substr(0, normal.find("://"));
  return !host.empty() && normal == OriginOf(absl::StrFormat("%s://%s", scheme, host));
}

// An operator who lets every page read has not named one that may make changes.
bool BrowserGuard::IsTrustedOrigin(std::string_view origin, api::Role role) const {
  if (cors_.allows_all()) return role == api::Role::kRead;
  return cors_.Allows(origin);
}

}  // namespace lockstep::server

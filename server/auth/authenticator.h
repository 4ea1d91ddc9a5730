// Authenticator: authenticates requests by the Authorization header or the client certificate.
// Supports basic auth with bcrypt hashes, bearer tokens and client certificates.
//
// Tokens are compared by digest in constant time. A bcrypt check takes tens of milliseconds by
// design, so checks run on a separate pool, one at a time per network; unknown users cost the same
// as known ones, and recent results are cached (by keyed digest, never in clear text). All methods
// are safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/access.h"
#include "base/mutex.h"
#include "server/auth/check_queue.h"
#include "server/auth/password_cache.h"
#include "server/auth/peer.h"
#include "server/auth/web_config.h"

namespace lockstep::server {

enum class AuthVerdict {
  kGranted,
  kDenied,
  kOverloaded,  // too many checks are queued
};

struct AuthAnswer {
  AuthVerdict verdict = AuthVerdict::kDenied;
  std::shared_ptr<const api::Principal> who{};  // never null for kGranted
};

class Authenticator {
 public:
  // If `web` requires no credentials, everybody has full access.
  explicit Authenticator(const WebConfig& web);

  // Applies to all subsequent requests.
  void Configure(const WebConfig& web);

  // `authorization` is the header's value, "" if missing. Decides at once, or calls `later` from
  // another thread.
  std::optional<AuthAnswer> Check(std::string_view authorization, const Peer& peer,
                                  std::function<void(AuthAnswer)> later);

  // The principal of requests without credentials.
  std::shared_ptr<const api::Principal> Nobody() const { return nobody_; }
  bool has_users() const;
  // Whether credentials differ in their permissions.
  bool has_roles() const;

 private:
  // Immutable once created.
  struct Credentials;

  std::shared_ptr<const Credentials> Current() const;
  std::optional<AuthAnswer> CheckBasic(std::shared_ptr<const Credentials> known,
                                       std::string_view encoded, const Peer& peer,
                                       std::function<void(AuthAnswer)> later);

  const std::shared_ptr<const api::Principal> nobody_ =
      std::make_shared<api::Principal>(api::Principal{"", {.roles = api::RoleSet()}});
  mutable Mutex mutex_;
  std::shared_ptr<const Credentials> credentials_ LOCKSTEP_GUARDED_BY(mutex_);
  PasswordCache cache_;
  // The last member, because its threads use all of the above.
  CheckQueue checks_;
};

}  // namespace lockstep::server

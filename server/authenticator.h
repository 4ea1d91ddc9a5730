// Authenticator: who may come in, by the Authorization header or the certificate: basic-auth users with bcrypt hashes,
// bearer tokens, clients' certificates.
//
// Tokens are compared by digest in constant time. A bcrypt check takes tens of milliseconds by
// design, so it runs on a pool of its own, where each network has one at a time; unknown users cost the same as known
// ones, and what was checked lately is remembered (by keyed digest, never in clear). All methods are safe from any
// thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/access.h"
#include "base/mutex.h"
#include "server/check_queue.h"
#include "server/password_cache.h"
#include "server/peer.h"
#include "server/web_config.h"

namespace lockstep::server {

enum class AuthVerdict {
  kGranted,
  kDenied,
  kOverloaded,  // too many checks are waiting
};

struct AuthAnswer {
  AuthVerdict verdict = AuthVerdict::kDenied;
  std::shared_ptr<const api::Principal> who{};  // of kGranted, and never null then
};

class Authenticator {
 public:
  // If `web` wants no credentials everybody may come in and do everything.
  explicit Authenticator(const WebConfig& web);

  // For all requests from here on.
  void Configure(const WebConfig& web);

  // `authorization` is the header's value, "" when there is none. Decides at once, or calls `later`
  // from another thread.
  std::optional<AuthAnswer> Check(std::string_view authorization, const Peer& peer,
                                  std::function<void(AuthAnswer)> later);

  // What goes for requests without any credential.
  std::shared_ptr<const api::Principal> Nobody() const { return nobody_; }
  bool has_users() const;
  // Whether credentials differ in what they may do.
  bool has_roles() const;

 private:
  // Never changed once it is there.
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
  // Last: its threads use all of the above.
  CheckQueue checks_;
};

}  // namespace lockstep::server

// Authenticator: who may come in, by the Authorization header: basic-auth users with bcrypt hashes,
// and bearer tokens.
//
// Tokens are compared by digest in constant time. A bcrypt check takes tens of milliseconds by
// design, so it runs on a pool of its own, unknown users cost the same as known ones, and what was
// checked lately is remembered (by keyed digest, never in clear). All methods are safe from any
// thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/password_cache.h"
#include "server/web_config.h"
#include "server/worker_pool.h"

namespace lockstep::server {

enum class AuthVerdict {
  kGranted,
  kDenied,
  kOverloaded,  // too many checks are waiting
};

class Authenticator {
 public:
  // Without users and tokens everybody may come in.
  Authenticator(std::vector<BasicAuthUser> users, std::vector<BearerToken> tokens);

  // `authorization` is the header's value, "" when there is none. Decides at once, or calls `later`
  // from another thread.
  std::optional<AuthVerdict> Check(std::string_view authorization,
                                   std::function<void(AuthVerdict)> later);

  // Who came in with that header: the user, or the token's name; "" when everybody may come in.
  // Precondition: it was granted.
  std::string NameOf(std::string_view authorization) const;

  bool has_users() const { return !users_.empty(); }

 private:
  std::optional<AuthVerdict> CheckBasic(std::string_view encoded,
                                        std::function<void(AuthVerdict)> later);
  // Null when there is no such token.
  const BearerToken* FindToken(std::string_view token) const;

  const std::vector<BasicAuthUser> users_;
  const std::vector<BearerToken> tokens_;
  const std::string hash_for_unknown_;  // of nobody's password, as costly as the users' hashes
  PasswordCache cache_;
  WorkerPool checkers_;
};

}  // namespace lockstep::server

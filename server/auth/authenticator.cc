#include "server/auth/authenticator.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/budget/client_id.h"
#include "base/string_map.h"
#include "server/http/header_list.h"

namespace lockstep::server {
namespace {

constexpr int kCheckerThreads = 2;
constexpr size_t kMaxNetworks = 64;
constexpr size_t kMaxWaitingPerNetwork = 32;
constexpr size_t kMaxCachedPasswords = 1000;

// A bcrypt hash of a made-up password, as in Prometheus' exporter-toolkit.
constexpr std::string_view kUnknownUserHash =
    "$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi";

// Checking an unknown user should take as long as checking most known ones: the cost is in the
// fifth and sixth letters.
std::string HashForUnknown(const std::vector<BasicAuthUser>& users) {
  std::string hash(kUnknownUserHash);
  if (!users.empty()) hash.replace(4, 2, users.front().bcrypt_hash.substr(4, 2));
  return hash;
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool MatchesBcrypt(const std::string& password, const std::string& hash) {
  auto scratch = std::make_unique<crypt_data>();
  const char* computed = crypt_r(password.c_str(), hash.c_str(), scratch.get());
  const bool matches = computed != nullptr && EqualInConstantTime(computed, hash);
  OPENSSL_cleanse(scratch.get(), sizeof(*scratch));
  return matches;
}

// "Basic abc" -> "abc" for scheme "Basic".
std::optional<std::string_view> CredentialsOf(std::string_view authorization,
                                              std::string_view scheme) {
  const size_t space = authorization.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  if (!EqualsIgnoreCase(authorization.substr(0, space), scheme)) return std::nullopt;
  return TrimSpace(authorization.substr(space + 1));
}

// Whether the grant applies to a certificate with these names.
bool IsFor(const CertificateGrant& grant, const CertificateNames& names) {
  if (!grant.subject.empty()) return grant.subject == names.subject;
  return std::find(names.sans.begin(), names.sans.end(), grant.san) != names.sans.end();
}

}  // namespace

struct Authenticator::Credentials {
  struct User {
    std::string bcrypt_hash;
    std::shared_ptr<const api::Principal> who;
  };
  struct Token {
    Sha256Digest digest;
    std::shared_ptr<const api::Principal> who;
  };
  struct Certificate {
    CertificateGrant grant;
    std::shared_ptr<const api::Principal> who;
  };

  explicit Credentials(const WebConfig& web)
      : has_roles(web.has_roles),
        everybody(web.wants_credentials() ? nullptr : PrincipalOf("", api::Grant())),
        hash_for_unknown(HashForUnknown(web.users)) {
    for (const BasicAuthUser& user : web.users) {
      users[user.name] = {user.bcrypt_hash, PrincipalOf(user.name, user.grant)};
    }
    for (const BearerToken& token : web.tokens) {
      tokens.push_back({token.digest, PrincipalOf(token.name, token.grant)});
    }
    for (const CertificateGrant& grant : web.certificates) {
      certificates.push_back(
          {grant, PrincipalOf(grant.san.empty() ? grant.subject : grant.san, grant.grant)});
    }
  }

  static std::shared_ptr<const api::Principal> PrincipalOf(const std::string& name,
                                                           const api::Grant& grant) {
    return std::make_shared<const api::Principal>(api::Principal{name, grant});
  }
  static AuthAnswer AnswerFor(std::shared_ptr<const api::Principal> who) {
    if (who == nullptr) return {};
    return {AuthVerdict::kGranted, std::move(who)};
  }

  AuthAnswer CheckToken(std::string_view token) const {
    Sha256Digest digest;
    SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
    std::shared_ptr<const api::Principal> found;
    for (const Token& candidate : tokens) {
      if (CRYPTO_memcmp(digest.data(), candidate.digest.data(), digest.size()) == 0) {
        found = candidate.who;
      }
    }
    return AnswerFor(std::move(found));
  }

  AuthAnswer CheckCertificate(const CertificateNames* names) const {
    if (names == nullptr) return {};
    for (const Certificate& certificate : certificates) {
      if (IsFor(certificate.grant, *names)) return AnswerFor(certificate.who);
    }
    return {};
  }

  bool has_roles;
  std::shared_ptr<const api::Principal> everybody;  // null: credentials are required
  std::string hash_for_unknown;  // of a random password, as costly as the users' hashes
  StringMap<User> users;
  std::vector<Token> tokens;
  std::vector<Certificate> certificates;
};

Authenticator::Authenticator(const WebConfig& web)
    : cache_(kMaxCachedPasswords), checks_(kCheckerThreads, kMaxNetworks, kMaxWaitingPerNetwork) {
  Configure(web);
}

void Authenticator::Configure(const WebConfig& web) {
  auto credentials = std::make_shared<const Credentials>(web);
  const MutexLock lock(mutex_);
  credentials_ = std::move(credentials);
}

std::shared_ptr<const Authenticator::Credentials> Authenticator::Current() const {
  const MutexLock lock(mutex_);
  return credentials_;
}

bool Authenticator::has_users() const { return !Current()->users.empty(); }

bool Authenticator::has_roles() const { return Current()->has_roles; }

std::optional<AuthAnswer> Authenticator::Check(std::string_view authorization, const Peer& peer,
                                               std::function<void(AuthAnswer)> later) {
  std::shared_ptr<const Credentials> known = Current();
  if (known->everybody != nullptr) return Credentials::AnswerFor(known->everybody);
  if (authorization.empty()) return known->CheckCertificate(peer.certificate.get());
  // InfluxDB 2 senders use the scheme Token.
  for (const std::string_view scheme : {"Bearer", "Token"}) {
    if (const auto token = CredentialsOf(authorization, scheme)) return known->CheckToken(*token);
  }
  if (const auto encoded = CredentialsOf(authorization, "Basic");
      encoded && !known->users.empty()) {
    return CheckBasic(std::move(known), *encoded, peer, std::move(later));
  }
  return AuthAnswer();
}

std::optional<AuthAnswer> Authenticator::CheckBasic(std::shared_ptr<const Credentials> known,
                                                    std::string_view encoded, const Peer& peer,
                                                    std::function<void(AuthAnswer)> later) {
  std::string decoded;
  if (!absl::Base64Unescape({encoded.data(), encoded.size()}, &decoded)) return AuthAnswer();
  const size_t colon = decoded.find(':');
  // crypt_r would accept the part of a password before a zero byte as the whole.
  if (colon == std::string::npos || decoded.find('\0') != std::string::npos) return AuthAnswer();
  const std::string name = decoded.substr(0, colon);
  std::string password = decoded.substr(colon + 1);

  const auto user = known->users.find(name);
  const bool is_known = user != known->users.end();
  const std::string& hash = is_known ? user->second.bcrypt_hash : known->hash_for_unknown;
  const AuthAnswer good = Credentials::AnswerFor(is_known ? user->second.who : nullptr);
  const Sha256Digest key = cache_.Key(name, hash, password);
  if (const auto remembered = cache_.Find(key)) return *remembered ? good : AuthAnswer();
  // `known` keeps the hash alive.
  auto check = [this, known, good, key, &hash, password = std::move(password), later]() mutable {
    const bool matches = MatchesBcrypt(password, hash) && good.who != nullptr;
    OPENSSL_cleanse(password.data(), password.size());
    cache_.Remember(key, matches);
    later(matches ? good : AuthAnswer());
  };
  if (checks_.TrySubmit(NetworkOfAddress(peer.address), std::move(check))) return std::nullopt;
  return AuthAnswer{AuthVerdict::kOverloaded};
}

}  // namespace lockstep::server

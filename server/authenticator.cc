#include "server/authenticator.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "server/header_list.h"

namespace lockstep::server {
namespace {

constexpr int kCheckerThreads = 2;
constexpr size_t kMaxWaitingChecks = 64;
constexpr size_t kMaxCachedPasswords = 100;

// As in Prometheus' exporter-toolkit: a bcrypt hash of a made-up password.
constexpr std::string_view kUnknownUserHash =
    "$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi";

// An unknown user should take as long as most known ones: the cost is the fifth and sixth letter.
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

}  // namespace

Authenticator::Authenticator(std::vector<BasicAuthUser> users, std::vector<BearerToken> tokens)
    : users_(std::move(users)),
      tokens_(std::move(tokens)),
      hash_for_unknown_(HashForUnknown(users_)),
      cache_(kMaxCachedPasswords),
      checkers_(users_.empty() ? 0 : kCheckerThreads, kMaxWaitingChecks) {}

std::optional<AuthVerdict> Authenticator::Check(std::string_view authorization,
                                                std::function<void(AuthVerdict)> later) {
  if (users_.empty() && tokens_.empty()) return AuthVerdict::kGranted;
  if (const auto token = CredentialsOf(authorization, "Bearer")) {
    return FindToken(*token) != nullptr ? AuthVerdict::kGranted : AuthVerdict::kDenied;
  }
  if (const auto encoded = CredentialsOf(authorization, "Basic"); encoded && !users_.empty()) {
    return CheckBasic(*encoded, std::move(later));
  }
  return AuthVerdict::kDenied;
}

const BearerToken* Authenticator::FindToken(std::string_view token) const {
  Sha256Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  const BearerToken* found = nullptr;
  for (const BearerToken& candidate : tokens_) {
    if (CRYPTO_memcmp(digest.data(), candidate.digest.data(), digest.size()) == 0) {
      found = &candidate;
    }
  }
  return found;
}

std::string Authenticator::NameOf(std::string_view authorization) const {
  if (users_.empty() && tokens_.empty()) return "";
  if (const auto token = CredentialsOf(authorization, "Bearer")) {
    const BearerToken* const found = FindToken(*token);
    return found != nullptr ? found->name : "";
  }
  std::string decoded;
  const auto encoded = CredentialsOf(authorization, "Basic");
  if (!encoded || !absl::Base64Unescape({encoded->data(), encoded->size()}, &decoded)) return "";
  return decoded.substr(0, decoded.find(':'));
}

std::optional<AuthVerdict> Authenticator::CheckBasic(std::string_view encoded,
                                                     std::function<void(AuthVerdict)> later) {
  std::string decoded;
  if (!absl::Base64Unescape({encoded.data(), encoded.size()}, &decoded)) {
    return AuthVerdict::kDenied;
  }
  const size_t colon = decoded.find(':');
  // crypt_r would take a password's part before a zero byte for the whole.
  if (colon == std::string::npos || decoded.find('\0') != std::string::npos) {
    return AuthVerdict::kDenied;
  }
  const std::string name = decoded.substr(0, colon);
  std::string password = decoded.substr(colon + 1);

  const auto user = std::find_if(users_.begin(), users_.end(),
                                 [&](const BasicAuthUser& user) { return user.name == name; });
  const bool known = user != users_.end();
  const std::string& hash = known ? user->bcrypt_hash : hash_for_unknown_;
  const Sha256Digest key = cache_.Key(name, hash, password);
  if (const auto remembered = cache_.Find(key)) {
    return *remembered ? AuthVerdict::kGranted : AuthVerdict::kDenied;
  }
  const bool submitted = checkers_.TrySubmit(
      [this, known, key, &hash, password = std::move(password), later]() mutable {
        const bool granted = MatchesBcrypt(password, hash) && known;
        OPENSSL_cleanse(password.data(), password.size());
        cache_.Remember(key, granted);
        later(granted ? AuthVerdict::kGranted : AuthVerdict::kDenied);
      });
  if (!submitted) return AuthVerdict::kOverloaded;
  return std::nullopt;
}

}  // namespace lockstep::server

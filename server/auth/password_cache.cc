#include "server/auth/password_cache.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <string>

#include "base/check.h"
#include "base/coding.h"

namespace lockstep::server {

PasswordCache::PasswordCache(size_t max_entries) : max_entries_(max_entries) {
  LOCKSTEP_CHECK(RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) == 1);
}

Sha256Digest PasswordCache::Key(std::string_view user, std::string_view hash,
                                std::string_view password) const {
  std::string message;
  PutLengthPrefixed(message, user);
  PutLengthPrefixed(message, hash);
  PutLengthPrefixed(message, password);
  Sha256Digest digest;
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest.data(),
       &size);
  LOCKSTEP_CHECK(size == digest.size());
  return digest;
}

std::optional<bool> PasswordCache::Find(const Sha256Digest& key) const {
  MutexLock lock(mutex_);
  if (right_.keys.contains(key)) return true;
  if (wrong_.keys.contains(key)) return false;
  return std::nullopt;
}

void PasswordCache::Remember(const Sha256Digest& key, bool matches) {
  MutexLock lock(mutex_);
  Entries& entries = matches ? right_ : wrong_;
  if (!entries.keys.insert(key).second) return;
  entries.order.push_back(key);
  if (entries.order.size() <= max_entries_) return;
  entries.keys.erase(entries.order.front());
  entries.order.pop_front();
}

}  // namespace lockstep::server

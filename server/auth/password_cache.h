// PasswordCache: caches the results of recent password checks, so that each password costs one
// bcrypt run.
//
// Keys are digests under a random key of this process, so a memory dump shows neither passwords nor
// hashes that could be attacked elsewhere. Wrong passwords have a separate limit, so that they
// never evict right ones. Safe from any thread.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string_view>

#include "base/mutex.h"
#include "server/auth/web_config.h"

namespace lockstep::server {

class PasswordCache {
 public:
  // The limit applies to right and wrong passwords separately.
  explicit PasswordCache(size_t max_entries);

  // The digest of a user, a password, and the hash it was checked against.
  Sha256Digest Key(std::string_view user, std::string_view hash, std::string_view password) const;

  std::optional<bool> Find(const Sha256Digest& key) const;
  // Evicts the oldest entry with that verdict if there are too many.
  void Remember(const Sha256Digest& key, bool matches);

 private:
  struct Entries {
    std::set<Sha256Digest> keys;
    std::deque<Sha256Digest> order;
  };

  const size_t max_entries_;
  Sha256Digest secret_;
  mutable Mutex mutex_;
  Entries right_ LOCKSTEP_GUARDED_BY(mutex_);
  Entries wrong_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::server

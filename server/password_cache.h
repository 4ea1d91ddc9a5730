// PasswordCache: verdicts on passwords that were checked lately, so that each costs one bcrypt run.
//
// Keys are digests under a random key of this process: a memory dump shows no password and no hash
// of one that could be tried elsewhere. Wrong passwords have a room of their own, so that many of them push no right
// one out. Safe from any thread.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string_view>

#include "base/mutex.h"
#include "server/web_config.h"

namespace lockstep::server {

class PasswordCache {
 public:
  // So many right ones, and as many wrong ones.
  explicit PasswordCache(size_t max_entries);

  // The digest of a user with a password and the hash it was checked against.
  Sha256Digest Key(std::string_view user, std::string_view hash, std::string_view password) const;

  std::optional<bool> Find(const Sha256Digest& key) const;
  // Forgets the oldest entry with that verdict if there are too many.
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

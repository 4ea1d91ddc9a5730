// TenantDirectory: the tenants of a store, numbered in the order in which something of them was first kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/string_map.h"
#include "storage/kept_rows.h"

namespace lockstep::tenants {

// Each has caches, metadata and streams of its own; and their rows share the numbers of 32 bits.
inline constexpr size_t kMaxTenants = 1000;

// Safe from any thread. Names are those of model/tenant.h; the default tenant, "", has number 0 and
// is always there.
class TenantDirectory {
 public:
  // `kept` outlives it; null: the tenants are forgotten when the process ends.
  explicit TenantDirectory(KeptRows* kept) : kept_(kept) {}
  TenantDirectory(const TenantDirectory&) = delete;
  TenantDirectory& operator=(const TenantDirectory&) = delete;

  // Reads those that are kept. Call it once, before all else.
  absl::Status Load();

  // Whether there is any but the default tenant. Whoever sees samples of another tenant sees this
  // true.
  bool has_others() const { return has_others_.load(std::memory_order_acquire); }
  std::optional<uint32_t> Find(std::string_view tenant) const;
  // Its number; adds it if it is new. kResourceExhausted: there are kMaxTenants. Otherwise
  // KeptRows' errors.
  absl::StatusOr<uint32_t> Add(std::string_view tenant);
  // OK if the tenant is there, or there is room for it.
  absl::Status CheckRoom(std::string_view tenant) const;
  // Keeps room for a tenant of which samples are on their way into the store, until Release() is
  // called as often. has_others() is true from here on. CheckRoom()'s error.
  absl::Status Reserve(std::string_view tenant);
  void Release(std::string_view tenant);
  // Adds those that the store has samples of and that are not known: the process ended after their
  // first write. KeptRows' errors.
  absl::Status Adopt(const std::vector<std::string>& tenants);
  // All, by number; the first is "".
  std::vector<std::string> names() const;

 private:
  absl::Status Keep(const std::vector<std::string>& names) const;
  bool HasRoom(std::string_view tenant) const LOCKSTEP_REQUIRES(mutex_);
  void Insert(std::string tenant) LOCKSTEP_REQUIRES(mutex_);

  KeptRows* const kept_;
  std::atomic<bool> has_others_{false};
  mutable Mutex mutex_;
  std::vector<std::string> names_ LOCKSTEP_GUARDED_BY(mutex_) = {""};
  StringMap<uint32_t> numbers_ LOCKSTEP_GUARDED_BY(mutex_) = {{"", 0}};
  StringMap<size_t> reserved_
      LOCKSTEP_GUARDED_BY(mutex_);  // how often, of those that are not there
};

}  // namespace lockstep::tenants

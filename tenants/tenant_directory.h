// TenantDirectory: the tenants of a store, numbered in the order in which their first data was
// kept.
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

// Each tenant has its own caches, metadata and streams, and their rows share the 32-bit numbers.
inline constexpr size_t kMaxTenants = 1000;

// Safe from any thread. Names are as in model/tenant.h; the default tenant, "", has number 0 and
// always exists.
class TenantDirectory {
 public:
  // `kept` must outlive this; null: tenants are not persisted.
  explicit TenantDirectory(KeptRows* kept) : kept_(kept) {}
  TenantDirectory(const TenantDirectory&) = delete;
  TenantDirectory& operator=(const TenantDirectory&) = delete;

  // Loads persisted tenants. Call it once, before anything else.
  absl::Status Load();

  // Whether there is any tenant besides the default one. Already true when samples of another
  // tenant become visible.
  bool has_others() const { return has_others_.load(std::memory_order_acquire); }
  std::optional<uint32_t> Find(std::string_view tenant) const;
  // Returns the tenant's number, and adds it if it is new. Fails with kResourceExhausted if there
  // are already kMaxTenants, or with an error of KeptRows.
  absl::StatusOr<uint32_t> Add(std::string_view tenant);
  // OK if the tenant exists or there is room for it.
  absl::Status CheckRoom(std::string_view tenant) const;
  // Reserves room for a tenant whose samples are being written, until a matching call of Release().
  // Makes has_others() true from now on. Fails like CheckRoom().
  absl::Status Reserve(std::string_view tenant);
  void Release(std::string_view tenant);
  // Adds unknown tenants that have samples in the store, because the process ended after their
  // first write. Fails with an error of KeptRows.
  absl::Status Adopt(const std::vector<std::string>& tenants);
  // All names by number; the first is "".
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
      LOCKSTEP_GUARDED_BY(mutex_);  // reservation counts of tenants that do not exist yet
};

}  // namespace lockstep::tenants

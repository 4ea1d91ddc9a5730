// TenantEntry: a tenant's entry in the directory of its store, if any. It is added with the first
// data kept for the tenant, so reads and rejected writes do not create tenants.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "tenants/tenant_directory.h"

namespace lockstep::tenants {

// Safe from any thread.
class TenantEntry {
 public:
  // `directory` must outlive this.
  TenantEntry(TenantDirectory& directory, std::string tenant);
  TenantEntry(const TenantEntry&) = delete;
  TenantEntry& operator=(const TenantEntry&) = delete;

  // Called once within Enter(), unless the tenant already exists. Must be set before use.
  void SetEntered(std::function<void()> entered) { entered_ = std::move(entered); }

  const std::string& tenant() const { return tenant_; }
  TenantDirectory& directory() const { return directory_; }
  // The number in the directory; nullopt if it is not there yet.
  std::optional<uint32_t> number() const;

  // Returns its number, and adds it if it is new. Fails like TenantDirectory::Add().
  absl::StatusOr<uint32_t> Enter();

 private:
  static constexpr int64_t kNoNumber = -1;

  TenantDirectory& directory_;
  const std::string tenant_;
  std::function<void()> entered_;
  std::atomic<int64_t> number_;
  Mutex mutex_;  // held while the tenant is added
};

}  // namespace lockstep::tenants

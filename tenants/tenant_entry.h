// TenantEntry: whether a tenant is in the directory of its store yet. It gets there with the first that
// is kept of it, so that whoever only asks, or is refused, makes no tenant.
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
  // `directory` outlives it.
  TenantEntry(TenantDirectory& directory, std::string tenant);
  TenantEntry(const TenantEntry&) = delete;
  TenantEntry& operator=(const TenantEntry&) = delete;

  // Called within Enter(), once, and not for a tenant that is there already. To be set before use.
  void SetEntered(std::function<void()> entered) { entered_ = std::move(entered); }

  const std::string& tenant() const { return tenant_; }
  TenantDirectory& directory() const { return directory_; }
  // In the directory; nothing as long as it is not there.
  std::optional<uint32_t> number() const;

  // Its number; adds it if it is new. TenantDirectory::Add()'s errors.
  absl::StatusOr<uint32_t> Enter();

 private:
  static constexpr int64_t kNoNumber = -1;

  TenantDirectory& directory_;
  const std::string tenant_;
  std::function<void()> entered_;
  std::atomic<int64_t> number_;
  Mutex mutex_;  // held while it enters
};

}  // namespace lockstep::tenants

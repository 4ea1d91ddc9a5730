// TenantAdmin: a StorageAdmin that deletes only one tenant's samples. All other operations concern
// the whole store.
#pragma once

#include <string>
#include <utility>

#include "storage/storage_admin.h"
#include "tenants/tenant_storage.h"

namespace lockstep::tenants {

// Safe from any thread.
class TenantAdmin : public StorageAdmin {
 public:
  // `admin` must outlive this. `tenant` is the name in the store.
  TenantAdmin(StorageAdmin& admin, std::string tenant)
      : admin_(admin), tenant_(std::move(tenant)) {}

  absl::StatusOr<BackupSummary> Backup(const std::string& folder, size_t keep_count) override {
    return admin_.Backup(folder, keep_count);
  }
  absl::StatusOr<std::string> Snapshot() override { return admin_.Snapshot(); }
  absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                            TimeRange range) override {
    return admin_.DeleteSeries(OfTenant(tenant_, matcher_sets), range);
  }
  absl::Status CleanTombstones() override { return admin_.CleanTombstones(); }

 private:
  StorageAdmin& admin_;
  const std::string tenant_;
};

}  // namespace lockstep::tenants

// TenantRows: the kept rows of one tenant, among those of a store. Its numbers lie in a range of
// the store's. The first row that is written enters the tenant into the directory.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "storage/kept_rows.h"
#include "tenants/tenant_entry.h"

namespace lockstep::tenants {

// Safe from any thread.
class TenantRows : public KeptRows {
 public:
  // A tenant's rows have numbers below this. Stores that had no tenants yet have none above.
  static constexpr uint32_t kNumbersPerTenant = uint32_t{1} << 22;

  // Both outlive it.
  TenantRows(KeptRows& rows, TenantEntry& tenant) : rows_(rows), tenant_(tenant) {}

  absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const override;
  absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                      uint32_t number) const override;
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override;

 private:
  KeptRows& rows_;
  TenantEntry& tenant_;
};

}  // namespace lockstep::tenants

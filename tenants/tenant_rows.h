// TenantRows: one tenant's rows among the kept rows of a store. Its numbers form a range of the
// store's numbers. Writing the first row adds the tenant to the directory.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "storage/kept_rows.h"
#include "tenants/tenant_entry.h"

namespace lockstep::tenants {

// Safe from any thread.
class TenantRows : public KeptRows {
 public:
  // Rows of a tenant have numbers below this. Stores from before tenants have no numbers above it.
  static constexpr uint32_t kNumbersPerTenant = uint32_t{1} << 22;

  // Both must outlive this.
  TenantRows(KeptRows& rows, TenantEntry& tenant) : rows_(rows), tenant_(tenant) {}

  absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const override;
  absl::Status VisitKept(KeptKind kind, uint32_t first, uint32_t last, Visit visit) const override;
  absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                      uint32_t number) const override;
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override;

 private:
  KeptRows& rows_;
  TenantEntry& tenant_;
};

}  // namespace lockstep::tenants

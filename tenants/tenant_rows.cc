#include "tenants/tenant_rows.h"

#include <utility>

#include "tenants/tenant_directory.h"

namespace lockstep::tenants {

static_assert(uint64_t{TenantRows::kNumbersPerTenant} * (kMaxTenants + 1) <= uint64_t{1} << 32);

absl::StatusOr<std::vector<KeptRow>> TenantRows::ReadKept(KeptKind kind) const {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<KeptRow> all, rows_.ReadKept(kind));
  std::vector<KeptRow> own;
  for (KeptRow& row : all) {
    if (row.number < first_ || row.number - first_ >= kNumbersPerTenant) continue;
    own.push_back({row.number - first_, std::move(row.bytes)});
  }
  return own;
}

absl::StatusOr<std::optional<std::string>> TenantRows::ReadKept(KeptKind kind,
                                                                uint32_t number) const {
  return rows_.ReadKept(kind, first_ + number);
}

absl::Status TenantRows::WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) {
  std::vector<KeptRow> shifted = rows;
  for (KeptRow& row : shifted) {
    LOCKSTEP_CHECK(row.number < kNumbersPerTenant);
    row.number += first_;
  }
  return rows_.WriteKept(kind, shifted);
}

}  // namespace lockstep::tenants

#include "tenants/tenant_rows.h"

#include <algorithm>
#include <utility>

#include "tenants/tenant_directory.h"

namespace lockstep::tenants {

static_assert(uint64_t{TenantRows::kNumbersPerTenant} * (kMaxTenants + 1) <= uint64_t{1} << 32);

absl::StatusOr<std::vector<KeptRow>> TenantRows::ReadKept(KeptKind kind) const {
  std::vector<KeptRow> own;
  const std::optional<uint32_t> tenant = tenant_.number();
  if (!tenant.has_value()) return own;
  const uint32_t first = *tenant * kNumbersPerTenant;
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<KeptRow> all, rows_.ReadKept(kind));
  for (KeptRow& row : all) {
    if (row.number < first || row.number - first >= kNumbersPerTenant) continue;
    own.push_back({row.number - first, std::move(row.bytes)});
  }
  return own;
}

absl::StatusOr<std::optional<std::string>> TenantRows::ReadKept(KeptKind kind,
                                                                uint32_t number) const {
  const std::optional<uint32_t> tenant = tenant_.number();
  if (!tenant.has_value()) return std::optional<std::string>();
  return rows_.ReadKept(kind, *tenant * kNumbersPerTenant + number);
}

absl::Status TenantRows::WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) {
  const bool deletes_only =
      std::all_of(rows.begin(), rows.end(), [](const KeptRow& row) { return row.bytes.empty(); });
  if (deletes_only && !tenant_.number().has_value()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const uint32_t tenant, tenant_.Enter());
  std::vector<KeptRow> shifted = rows;
  for (KeptRow& row : shifted) {
    LOCKSTEP_CHECK(row.number < kNumbersPerTenant);
    row.number += tenant * kNumbersPerTenant;
  }
  return rows_.WriteKept(kind, shifted);
}

}  // namespace lockstep::tenants

#include "tenants/tenant_rows.h"

#include <algorithm>
#include <utility>

#include "tenants/tenant_directory.h"

namespace lockstep::tenants {

static_assert(uint64_t{TenantRows::kNumbersPerTenant} * (kMaxTenants + 1) <= uint64_t{1} << 32);

absl::StatusOr<std::vector<KeptRow>> TenantRows::ReadKept(KeptKind kind) const {
  std::vector<KeptRow> own;
  LOCKSTEP_RETURN_IF_ERROR(
      VisitKept(kind, 0, kNumbersPerTenant - 1, [&own](uint32_t number, std::string_view bytes) {
        own.push_back({number, std::string(bytes)});
        return absl::OkStatus();
      }));
  return own;
}

absl::Status TenantRows::VisitKept(KeptKind kind, uint32_t first, uint32_t last,
                                   Visit visit) const {
  const std::optional<uint32_t> tenant = tenant_.number();
  if (!tenant.has_value()) return absl::OkStatus();
  const uint32_t begin = *tenant * kNumbersPerTenant;
  return rows_.VisitKept(
      kind, begin + std::min(first, kNumbersPerTenant - 1),
      begin + std::min(last, kNumbersPerTenant - 1),
      [&](uint32_t number, std::string_view bytes) { return visit(number - begin, bytes); });
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

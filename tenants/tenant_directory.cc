#include "tenants/tenant_directory.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/coding.h"
#include "model/tenant.h"

namespace lockstep::tenants {
namespace {

constexpr char kVersion = 1;

// See docs/formats/kept.md.
std::string RowOf(const std::vector<std::string>& names) {
  std::string row(1, kVersion);
  for (size_t number = 1; number < names.size(); ++number) PutLengthPrefixed(row, names[number]);
  return row;
}

absl::Status TooMany() {
  return absl::ResourceExhaustedError(
      absl::StrFormat("the store already has the maximum of %d tenants", kMaxTenants));
}

absl::Status Malformed() { return absl::DataLossError("the list of tenants is malformed"); }

}  // namespace

absl::Status TenantDirectory::Load() {
  if (kept_ == nullptr) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                            kept_->ReadKept(KeptKind::kTenants, 0));
  if (!row.has_value()) return absl::OkStatus();
  std::string_view rest = *row;
  if (rest.empty() || rest.front() != kVersion) return Malformed();
  rest.remove_prefix(1);
  const MutexLock lock(mutex_);
  while (!rest.empty()) {
    std::string_view id;
    if (!GetLengthPrefixed(rest, id)) return Malformed();
    const absl::StatusOr<std::string> tenant = TenantOfId(id);
    if (!tenant.ok() || numbers_.contains(*tenant) || names_.size() > kMaxTenants) {
      return Malformed();
    }
    Insert(*tenant);
  }
  return absl::OkStatus();
}

std::optional<uint32_t> TenantDirectory::Find(std::string_view tenant) const {
  if (tenant.empty()) return 0;
  const MutexLock lock(mutex_);
  const auto found = numbers_.find(tenant);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

absl::StatusOr<uint32_t> TenantDirectory::Add(std::string_view tenant) {
  const MutexLock lock(mutex_);
  if (const auto found = numbers_.find(tenant); found != numbers_.end()) return found->second;
  if (!HasRoom(tenant)) return TooMany();
  std::vector<std::string> names = names_;
  names.emplace_back(tenant);
  LOCKSTEP_RETURN_IF_ERROR(Keep(names));
  Insert(std::string(tenant));
  return static_cast<uint32_t>(names_.size() - 1);
}

absl::Status TenantDirectory::CheckRoom(std::string_view tenant) const {
  const MutexLock lock(mutex_);
  return numbers_.contains(tenant) || HasRoom(tenant) ? absl::OkStatus() : TooMany();
}

absl::Status TenantDirectory::Reserve(std::string_view tenant) {
  const MutexLock lock(mutex_);
  if (!numbers_.contains(tenant) && !HasRoom(tenant)) return TooMany();
  ++reserved_[std::string(tenant)];
  has_others_.store(true, std::memory_order_release);
  return absl::OkStatus();
}

void TenantDirectory::Release(std::string_view tenant) {
  const MutexLock lock(mutex_);
  const auto found = reserved_.find(tenant);
  LOCKSTEP_CHECK(found != reserved_.end());
  if (--found->second == 0) reserved_.erase(found);
}

absl::Status TenantDirectory::Adopt(const std::vector<std::string>& tenants) {
  const MutexLock lock(mutex_);
  const size_t known_count = names_.size();
  for (const std::string& tenant : tenants) {
    if (!numbers_.contains(tenant)) Insert(tenant);
  }
  if (names_.size() == known_count) return absl::OkStatus();
  const absl::Status status = Keep(names_);
  // A read-only store has nothing of these tenants that depends on their numbers.
  return absl::IsPermissionDenied(status) ? absl::OkStatus() : status;
}

absl::Status TenantDirectory::Keep(const std::vector<std::string>& names) const {
  if (kept_ == nullptr) return absl::OkStatus();
  return kept_->WriteKept(KeptKind::kTenants, {{0, RowOf(names)}});
}

bool TenantDirectory::HasRoom(std::string_view tenant) const {
  size_t count = names_.size() - 1;
  for (const auto& [name, times] : reserved_) {
    if (name != tenant && !numbers_.contains(name)) ++count;
  }
  return count < kMaxTenants;
}

void TenantDirectory::Insert(std::string tenant) {
  numbers_.emplace(tenant, static_cast<uint32_t>(names_.size()));
  names_.push_back(std::move(tenant));
  has_others_.store(true, std::memory_order_release);
}

std::vector<std::string> TenantDirectory::names() const {
  const MutexLock lock(mutex_);
  return names_;
}

}  // namespace lockstep::tenants

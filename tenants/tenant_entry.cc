#include "tenants/tenant_entry.h"

#include <utility>

namespace lockstep::tenants {

TenantEntry::TenantEntry(TenantDirectory& directory, std::string tenant)
    : directory_(directory), tenant_(std::move(tenant)) {
  const std::optional<uint32_t> number = directory_.Find(tenant_);
  number_ = number.has_value() ? int64_t{*number} : kNoNumber;
}

std::optional<uint32_t> TenantEntry::number() const {
  const int64_t number = number_.load(std::memory_order_acquire);
  if (number == kNoNumber) return std::nullopt;
  return static_cast<uint32_t>(number);
}

absl::StatusOr<uint32_t> TenantEntry::Enter() {
  if (const auto known = number()) return *known;
  const MutexLock lock(mutex_);
  if (const auto known = number()) return *known;
  LOCKSTEP_ASSIGN_OR_RETURN(const uint32_t number, directory_.Add(tenant_));
  number_.store(number, std::memory_order_release);
  if (entered_) entered_();
  return number;
}

}  // namespace lockstep::tenants

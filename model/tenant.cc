#include "model/tenant.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/coding.h"

namespace lockstep {
namespace {

constexpr size_t kMaxIdBytes = 150;

bool IsIdCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("!-_.*'()").find(c) != std::string_view::npos;
}

bool HasTenant(const LabelSet& labels) {
  const LabelSet::Iterator first = labels.begin();
  return first != labels.end() && first->name == kTenantLabel;
}

}  // namespace

absl::StatusOr<std::string> TenantOfId(std::string_view id) {
  const bool is_id = !id.empty() && id.size() <= kMaxIdBytes && id != "." && id != ".." &&
                     std::ranges::all_of(id, IsIdCharacter);
  if (!is_id) {
    return absl::InvalidArgumentError(
        absl::StrFormat("a tenant name must be 1 to %d letters, digits and characters from "
                        "!-_.*'(), and not . or ..",
                        kMaxIdBytes));
  }
  return id == kDefaultTenantName ? std::string() : std::string(id);
}

std::string_view IdOfTenant(std::string_view tenant) {
  return tenant.empty() ? kDefaultTenantName : tenant;
}

std::string_view TenantOf(const LabelSet& labels) {
  return HasTenant(labels) ? labels.begin()->value : std::string_view();
}

LabelSet WithTenant(std::string_view tenant, const LabelSet& labels) {
  if (tenant.empty()) return labels;
  std::string bytes = LabelSet::Of({{kTenantLabel, tenant}}).bytes();
  bytes += labels.bytes();
  return LabelSet::OfPacked(std::move(bytes));
}

LabelSet WithoutTenant(const LabelSet& labels) {
  if (!HasTenant(labels)) return labels;
  const LabelView tenant = *labels.begin();
  const auto end =
      static_cast<size_t>(tenant.value.data() + tenant.value.size() - labels.bytes().data());
  return LabelSet::OfPacked(labels.bytes().substr(end));
}

}  // namespace lockstep

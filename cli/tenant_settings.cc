#include "cli/tenant_settings.h"

#include <charconv>
#include <string>

#include "absl/strings/str_format.h"
#include "cli/list_setting.h"

namespace lockstep::cli {
namespace {

constexpr ListForm kForm = {.name = "tenants.limits",
                            .needs = "needs tenant, max_series or max_samples_per_second",
                            .items = "limits",
                            .max_count = 100};

absl::Status SetCount(uint64_t& count, const std::string& text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a whole number", text));
}

absl::Status Set(tenants::TenantLimits& limits, const std::string& key, const std::string& text) {
  if (key == "max_series") return SetCount(limits.max_series, text);
  if (key == "max_samples_per_second") return SetCount(limits.max_samples_per_second, text);
  LOCKSTEP_ASSIGN_OR_RETURN(limits.tenant, Matcher::Make(MatchType::kRegex, "tenant", text));
  return absl::OkStatus();
}

}  // namespace

bool TenantSettings::IsOne(const GivenValue& value) { return IsListed(value, kForm); }

absl::Status TenantSettings::Add(const GivenValue& value) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ListedValue listed, ParseListed(value, kForm, limits_.size()));
  const bool is_known = listed.key == "tenant" || listed.key == "max_series" ||
                        listed.key == "max_samples_per_second";
  if (!is_known) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: unknown key \"%s\"; limits have tenant, max_series and max_samples_per_second",
        value.origin, value.name));
  }
  if (listed.index == limits_.size()) limits_.emplace_back();
  return Annotate(Set(limits_[listed.index], listed.key, value.text),
                  absl::StrFormat("%s: %s", value.origin, value.name));
}

}  // namespace lockstep::cli

#include "scrape/config/relabel.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/check.h"

namespace lockstep::scrape {
namespace {

constexpr std::array<std::pair<RelabelAction, std::string_view>, 11> kActions = {{
    {RelabelAction::kReplace, "replace"},
    {RelabelAction::kKeep, "keep"},
    {RelabelAction::kDrop, "drop"},
    {RelabelAction::kKeepEqual, "keepequal"},
    {RelabelAction::kDropEqual, "dropequal"},
    {RelabelAction::kHashMod, "hashmod"},
    {RelabelAction::kLabelMap, "labelmap"},
    {RelabelAction::kLabelDrop, "labeldrop"},
    {RelabelAction::kLabelKeep, "labelkeep"},
    {RelabelAction::kLowercase, "lowercase"},
    {RelabelAction::kUppercase, "uppercase"},
}};

constexpr std::string_view kDefaultRegex = "(.*)";
constexpr std::string_view kDefaultReplacement = "$1";
constexpr std::string_view kDefaultSeparator = ";";

// Whether `text` is allowed as a label name. Prometheus allows any UTF-8 there, including
// references to groups.
bool IsLabelNameTemplate(std::string_view text) { return !text.empty() && IsValidUtf8(text); }

// The last eight bytes of the MD5 sum, which Prometheus uses for sharding.
uint64_t HashOf(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  LOCKSTEP_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_md5(), nullptr) ==
                 1);
  uint64_t hash = 0;
  for (size_t i = 8; i < 16; ++i) hash = hash << 8 | digest[i];
  return hash;
}

std::string Lower(std::string_view text) { return absl::AsciiStrToLower(std::string(text)); }
std::string Upper(std::string_view text) { return absl::AsciiStrToUpper(std::string(text)); }

absl::Status Wrong(RelabelAction action, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrFormat("action %s %s", Name(action), what));
}

bool IsIn(RelabelAction action, std::initializer_list<RelabelAction> actions) {
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

absl::Status CheckTarget(const RelabelSpec& spec) {
  using enum RelabelAction;
  const bool needs_target =
      IsIn(spec.action, {kReplace, kHashMod, kLowercase, kUppercase, kKeepEqual, kDropEqual});
  if (!needs_target) return absl::OkStatus();
  if (spec.target_label.empty()) return Wrong(spec.action, "needs target_label");
  const bool is_name = spec.action == kReplace ? IsLabelNameTemplate(spec.target_label)
                                               : IsValidUtf8(spec.target_label);
  if (is_name) return absl::OkStatus();
  return Wrong(spec.action, "has a target_label that is not a label name");
}

absl::Status CheckSpec(const RelabelSpec& spec) {
  using enum RelabelAction;
  LOCKSTEP_RETURN_IF_ERROR(CheckTarget(spec));
  const bool has_others =
      spec.separator.value_or(std::string(kDefaultSeparator)) != kDefaultSeparator ||
      spec.replacement.value_or(std::string(kDefaultReplacement)) != kDefaultReplacement ||
      spec.modulus != 0;
  const bool has_regex = spec.regex.value_or(std::string(kDefaultRegex)) != kDefaultRegex;
  const std::string replacement = spec.replacement.value_or(std::string(kDefaultReplacement));
  switch (spec.action) {
    case kHashMod:
      if (spec.modulus == 0) return Wrong(spec.action, "needs a nonzero modulus");
      break;
    case kLabelMap:
      if (IsLabelNameTemplate(replacement)) break;
      return Wrong(spec.action, "has a replacement that is not a label name");
    case kLowercase:
    case kUppercase:
      if (replacement == kDefaultReplacement) break;
      return Wrong(spec.action, "does not take replacement");
    case kLabelDrop:
    case kLabelKeep:
      if (!has_others && spec.source_labels.empty() && spec.target_label.empty()) break;
      return Wrong(spec.action, "takes only regex");
    case kKeepEqual:
    case kDropEqual:
      if (!has_others && !has_regex) break;
      return Wrong(spec.action, "takes only source_labels and target_label");
    default:
      break;
  }
  return absl::OkStatus();
}

std::string JoinedValues(const RelabelSpec& spec, std::string_view separator,
                         const LabelSetBuilder& labels) {
  std::string joined;
  for (size_t i = 0; i < spec.source_labels.size(); ++i) {
    if (i > 0) joined += separator;
    joined += labels.Get(spec.source_labels[i]);
  }
  return joined;
}

}  // namespace

std::string_view Name(RelabelAction action) { return kActions[static_cast<size_t>(action)].second; }

std::optional<RelabelAction> ParseRelabelAction(std::string_view name) {
  const std::string lower = Lower(name);
  for (const auto& [action, known] : kActions) {
    if (known == lower) return action;
  }
  return std::nullopt;
}

RelabelRule::Compiled::Compiled(RelabelSpec given, Regex compiled)
    : spec(std::move(given)),
      separator(spec.separator.value_or(std::string(kDefaultSeparator))),
      regex(std::move(compiled)),
      replacement(spec.replacement.value_or(std::string(kDefaultReplacement)), regex),
      target(spec.target_label, regex) {}

absl::StatusOr<RelabelRule> RelabelRule::Make(RelabelSpec spec) {
  LOCKSTEP_RETURN_IF_ERROR(CheckSpec(spec));
  const std::string pattern = spec.regex.value_or(std::string(kDefaultRegex));
  absl::StatusOr<Regex> regex = Regex::Compile(pattern, Regex::Dot::kMatchesNewline);
  if (!regex.ok()) {
    return Annotate(regex.status(), absl::StrFormat("\"%s\" is not a regular expression", pattern));
  }
  return RelabelRule(std::make_shared<const Compiled>(std::move(spec), *std::move(regex)));
}

bool RelabelRule::Apply(LabelSetBuilder& labels) const {
  const RelabelSpec& spec = compiled_->spec;
  const std::string value = JoinedValues(spec, compiled_->separator, labels);
  switch (spec.action) {
    case RelabelAction::kReplace:
      Replace(value, labels);
      return true;
    case RelabelAction::kKeep:
      return compiled_->regex.FullMatch(value);
    case RelabelAction::kDrop:
      return !compiled_->regex.FullMatch(value);
    case RelabelAction::kKeepEqual:
      return labels.Get(spec.target_label) == value;
    case RelabelAction::kDropEqual:
      return labels.Get(spec.target_label) != value;
    case RelabelAction::kHashMod:
      labels.Set(spec.target_label, std::to_string(HashOf(value) % spec.modulus));
      return true;
    case RelabelAction::kLabelMap:
      MapNames(labels);
      return true;
    case RelabelAction::kLabelDrop:
      DropNames(labels, true);
      return true;
    case RelabelAction::kLabelKeep:
      DropNames(labels, false);
      return true;
    case RelabelAction::kLowercase:
      labels.Set(spec.target_label, Lower(value));
      return true;
    case RelabelAction::kUppercase:
      labels.Set(spec.target_label, Upper(value));
      return true;
  }
  return true;
}

void RelabelRule::Replace(std::string_view value, LabelSetBuilder& labels) const {
  const auto groups = compiled_->regex.CaptureFull(value);
  if (!groups) return;
  const std::string target = compiled_->target.Expand(*groups);
  if (target.empty() || !IsValidUtf8(target)) return;
  labels.Set(target, compiled_->replacement.Expand(*groups));
}

void RelabelRule::MapNames(LabelSetBuilder& labels) const {
  const LabelSet before = labels.Build();
  for (const LabelView& label : before) {
    const auto groups = compiled_->regex.CaptureFull(label.name);
    if (!groups) continue;
    const std::string name = compiled_->replacement.Expand(*groups);
    if (!name.empty()) labels.Set(name, label.value);
  }
}

void RelabelRule::DropNames(LabelSetBuilder& labels, bool matching) const {
  const LabelSet before = labels.Build();
  for (const LabelView& label : before) {
    if (compiled_->regex.FullMatch(label.name) == matching) labels.Delete(label.name);
  }
}

bool Relabel(const std::vector<RelabelRule>& rules, LabelSetBuilder& labels) {
  return std::all_of(rules.begin(), rules.end(),
                     [&](const RelabelRule& rule) { return rule.Apply(labels); });
}

}  // namespace lockstep::scrape

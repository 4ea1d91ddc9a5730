#include "cli/settings/otlp_settings.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kSection = "otlp.";
constexpr std::string_view kPromoted = "promote_resource_attributes[";
constexpr std::string_view kIgnored = "ignore_resource_attributes[";

absl::Status SetSwitch(bool& value, std::string_view text) {
  if (text != "true" && text != "false") {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is neither true nor false", text));
  }
  value = text == "true";
  return absl::OkStatus();
}

template <typename Value, size_t kCount>
absl::Status SetChoice(Value& value, std::string_view text,
                       const std::pair<std::string_view, Value> (&choices)[kCount]) {
  std::string known;
  for (const auto& [name, choice] : choices) {
    if (name == text) {
      value = choice;
      return absl::OkStatus();
    }
    absl::StrAppendFormat(&known, "%s%s", known.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not one of %s", text, known));
}

absl::Status SetStrategy(otlp::NameTranslation& names, std::string_view text) {
  using enum otlp::NameTranslation;
  static constexpr std::pair<std::string_view, otlp::NameTranslation> kNames[] = {
      {"UnderscoreEscapingWithSuffixes", kUnderscoreEscapingWithSuffixes},
      {"UnderscoreEscapingWithoutSuffixes", kUnderscoreEscapingWithoutSuffixes},
      {"NoUTF8EscapingWithSuffixes", kNoUtf8EscapingWithSuffixes},
      {"NoTranslation", kNoTranslation}};
  return SetChoice(names, text, kNames);
}

absl::Status SetDeltas(otlp::DeltaPolicy& deltas, std::string_view text) {
  static constexpr std::pair<std::string_view, otlp::DeltaPolicy> kPolicies[] = {
      {"refuse", otlp::DeltaPolicy::kRefuse},
      {"keep", otlp::DeltaPolicy::kKeep},
      {"add-up", otlp::DeltaPolicy::kAddUp}};
  return SetChoice(deltas, text, kPolicies);
}

absl::Status AddAttribute(StringSet& attributes, const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return absl::InvalidArgumentError("an attribute name is empty");
  const std::string name = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
  if (attributes.insert(name).second) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is listed twice", name));
}

}  // namespace

bool OtlpSettings::IsOne(const GivenValue& value) { return value.name.starts_with(kSection); }

absl::Status OtlpSettings::Add(const GivenValue& value) {
  const std::string_view key = std::string_view(value.name).substr(kSection.size());
  const std::string where = absl::StrFormat("%s: %s", value.origin, value.name);
  if (key.starts_with(kPromoted) && promoted_origin_.empty()) promoted_origin_ = where;
  if (key.starts_with(kIgnored) && ignored_origin_.empty()) ignored_origin_ = where;
  const absl::Status status = Set(key, value.text);
  if (absl::IsNotFound(status)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: unknown key \"%s\"", value.origin, value.name));
  }
  return Annotate(status, where);
}

// Fails with kNotFound for an unknown key.
absl::Status OtlpSettings::Set(std::string_view key, const std::string& text) {
  if (key == "translation_strategy") return SetStrategy(translation_.names, text);
  if (key == "promote_all_resource_attributes") {
    return SetSwitch(translation_.promotion.promotes_all, text);
  }
  if (key == "keep_identifying_resource_attributes") {
    return SetSwitch(translation_.keeps_identifying_attributes, text);
  }
  if (key == "promote_scope_metadata") return SetSwitch(translation_.promotes_scope, text);
  if (key == "convert_histograms_to_nhcb") {
    bool converts = false;
    LOCKSTEP_RETURN_IF_ERROR(SetSwitch(converts, text));
    translation_.histograms =
        converts ? otlp::HistogramForm::kCustomBuckets : otlp::HistogramForm::kClassic;
    return absl::OkStatus();
  }
  if (key == "deltas") return SetDeltas(translation_.deltas, text);
  if (key.starts_with(kPromoted)) return AddAttribute(promoted_, text);
  if (key.starts_with(kIgnored)) return AddAttribute(ignored_, text);
  return absl::NotFoundError("");
}

absl::StatusOr<otlp::Translation> OtlpSettings::Finish() {
  const bool promotes_all = translation_.promotion.promotes_all;
  if (promotes_all && !promoted_.empty()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s cannot be combined with promote_all_resource_attributes: true", promoted_origin_));
  }
  if (!promotes_all && !ignored_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s requires promote_all_resource_attributes: true", ignored_origin_));
  }
  translation_.promotion.attributes = std::move(promotes_all ? ignored_ : promoted_);
  return std::move(translation_);
}

}  // namespace lockstep::cli

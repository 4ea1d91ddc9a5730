#include "rules/template/template_value.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "base/utc_text.h"

namespace lockstep::rules {
namespace {

std::string TextOfMap(const TextMap& map) {
  std::string text = "map[";
  for (const auto& [name, value] : map) {
    if (text.back() != '[') text += ' ';
    absl::StrAppend(&text, name, ":", value);
  }
  return text + "]";
}

std::string TextOfSample(const TemplateSample& sample) {
  return absl::StrFormat("&{%s %s}", TextOfMap(sample.labels), FormatShortValue(sample.value));
}

std::string TextOfSamples(const TemplateSamples& samples) {
  std::string text = "[";
  for (const TemplateSample& sample : samples) {
    if (text.size() > 1) text += ' ';
    text += TextOfSample(sample);
  }
  return text + "]";
}

std::string TextOfTime(const TemplateTime& time) {
  return UtcText("%E4Y-%m-%d %H:%M:%E*S +0000 UTC", std::llround(time.unix_seconds * 1e3));
}

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

bool IsTrue(const TemplateValue& value) {
  return std::visit(
      Overloaded{[](std::monostate) { return false; }, [](bool truth) { return truth; },
                 [](int64_t number) { return number != 0; },
                 [](double number) { return number != 0; },
                 [](const std::string& text) { return !text.empty(); },
                 [](const std::shared_ptr<const TextMap>& map) { return !map->empty(); },
                 [](const std::shared_ptr<const TemplateSamples>& all) { return !all->empty(); },
                 [](const SampleAt&) { return true; }, [](const TemplateTime&) { return true; },
                 [](const TemplateRoot&) { return true; }},
      value);
}

std::string ToText(const TemplateValue& value) {
  return std::visit(
      Overloaded{
          [](std::monostate) -> std::string { return "<no value>"; },
          [](bool truth) -> std::string { return truth ? "true" : "false"; },
          [](int64_t number) { return std::to_string(number); },
          [](double number) { return FormatShortValue(number); },
          [](const std::string& text) { return text; },
          [](const std::shared_ptr<const TextMap>& map) { return TextOfMap(*map); },
          [](const std::shared_ptr<const TemplateSamples>& all) { return TextOfSamples(*all); },
          [](const SampleAt& sample) { return TextOfSample(sample.get()); },
          [](const TemplateTime& time) { return TextOfTime(time); },
          [](const TemplateRoot&) -> std::string { return "{}"; }},
      value);
}

std::string_view KindName(const TemplateValue& value) {
  static constexpr std::string_view kNames[] = {"nil",
                                                "bool",
                                                "int",
                                                "float64",
                                                "string",
                                                "map[string]string",
                                                "template.queryResult",
                                                "*template.sample",
                                                "time.Time",
                                                "struct"};
  return kNames[value.index()];
}

absl::StatusOr<double> ToNumber(const TemplateValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* text = std::get_if<std::string>(&value)) {
    double number = 0;
    if (absl::SimpleAtod(*text, &number)) return number;
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a number", *text));
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("can't convert %s to a number", KindName(value)));
}

}  // namespace lockstep::rules

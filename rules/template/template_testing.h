// Helpers for tests of templates: data, and the expanded text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "rules/template/template.h"

namespace lockstep::rules {

// The query "up" has two samples, "none" has none, "many" has a thousand, and all others fail.
inline TemplateData DataForTests() {
  TemplateData data;
  data.labels = std::make_shared<const TextMap>(
      TextMap{{"gpu", "3"}, {"instance", "node7.rack.example:9400"}});
  data.external_labels = std::make_shared<const TextMap>(TextMap{{"cluster", "c1"}});
  data.external_url = "http://lockstep:9009/x";
  data.value = 1234567.5;
  data.time_ms = 1'500;
  data.query = [](std::string_view text) -> absl::StatusOr<TemplateSamples> {
    if (text == "none") return TemplateSamples();
    if (text == "many") return TemplateSamples(1'000);
    if (text != "up") return absl::InvalidArgumentError("no such query");
    return TemplateSamples{{{{"job", "b"}}, 2}, {{{"job", "a"}}, 1.5}};
  };
  return data;
}

// The expanded text, or "error: " and the error.
inline std::string ExpandedWith(std::string_view text, const TemplateData& data) {
  const auto parsed = Template::Parse(text);
  const absl::StatusOr<std::string> expanded =
      parsed.ok() ? parsed->Expand(data) : absl::StatusOr<std::string>(parsed.status());
  return expanded.ok() ? *expanded : absl::StrFormat("error: %s", Message(expanded.status()));
}
inline std::string ExpandedText(std::string_view text) {
  return ExpandedWith(text, DataForTests());
}

struct TemplateRow {
  std::string_view text;
  std::string_view expected;
};

}  // namespace lockstep::rules

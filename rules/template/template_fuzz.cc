// Any text is either rejected or a template that expands to a text or an error.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "rules/template/template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::rules;
  const auto parsed = Template::Parse({reinterpret_cast<const char*>(data), size});
  if (!parsed.ok()) return 0;
  TemplateData values;
  values.labels = std::make_shared<const TextMap>(TextMap{{"gpu", "3"}});
  values.external_labels = std::make_shared<const TextMap>();
  values.value = 12.5;
  values.query = [](std::string_view) -> absl::StatusOr<TemplateSamples> {
    return TemplateSamples{{{{"job", "a"}}, 1}, {{{"job", "b"}}, 2}};
  };
  parsed->Expand(values).status().IgnoreError();
  return 0;
}

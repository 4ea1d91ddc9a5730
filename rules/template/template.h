// Template: the part of Go's text/template that labels and annotations of alerts use, with Prometheus'
// functions.
//
//   {{ $labels.gpu }} has {{ $value | printf "%.1f" }} degrees
//   {{ with query "up" }}{{ . | first | value }}{{ end }}
//
// There are: text, {{- trimming -}}, comments, pipelines, variables, fields, parentheses, if, else if, else, range,
// with, break, continue, and the functions of template_functions.h. There are not: define, template, block, and
// calls of methods.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "rules/template/template_value.h"

namespace lockstep::rules {

// What an expansion may see.
struct TemplateData {
  std::shared_ptr<const TextMap> labels;           // $labels, .Labels
  std::shared_ptr<const TextMap> external_labels;  // $externalLabels
  std::string external_url;                        // $externalURL
  double value = 0;                                // $value
  int64_t time_ms = 0;                             // of `now`
  // The answer to an instant query; an error ends the expansion.
  std::function<absl::StatusOr<TemplateSamples>(std::string_view expression)> query;
};

struct TemplateList;

// Immutable; safe from any thread.
class Template {
 public:
  // kInvalidArgument for what is none; functions have to be known, and variables.
  static absl::StatusOr<Template> Parse(std::string_view text);

  // Fails where Go's would: a function that cannot take what it is given, a text that grows too long.
  absl::StatusOr<std::string> Expand(const TemplateData& data) const;

 private:
  explicit Template(std::shared_ptr<const TemplateList> nodes) : nodes_(std::move(nodes)) {}

  std::shared_ptr<const TemplateList> nodes_;
};

}  // namespace lockstep::rules

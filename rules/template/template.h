// Template: the subset of Go's text/template that labels and annotations of alerts use, with
// Prometheus' functions.
//
//   {{ $labels.gpu }} is at {{ $value | printf "%.1f" }} degrees
//   {{ with query "up" }}{{ . | first | value }}{{ end }}
//
// Supported: text, {{- trimming -}}, comments, pipelines, variables, fields, parentheses, if, else
// if, else, range, with, break, continue, and the functions of template_functions.h. Not supported:
// define, template, block, and method calls.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "rules/template/template_value.h"

namespace lockstep::rules {

// The data available to an expansion.
struct TemplateData {
  std::shared_ptr<const TextMap> labels;           // $labels, .Labels
  std::shared_ptr<const TextMap> external_labels;  // $externalLabels
  std::string external_url;                        // $externalURL
  double value = 0;                                // $value
  int64_t time_ms = 0;                             // of `now`
  // Runs an instant query; an error ends the expansion.
  std::function<absl::StatusOr<TemplateSamples>(std::string_view expression)> query;
};

struct TemplateList;

// Immutable and thread-safe.
class Template {
 public:
  // Returns kInvalidArgument for invalid templates, including unknown functions and variables.
  static absl::StatusOr<Template> Parse(std::string_view text);

  // Fails like Go if a function gets arguments that it does not accept, and if the text grows too
  // long.
  absl::StatusOr<std::string> Expand(const TemplateData& data) const;

 private:
  explicit Template(std::shared_ptr<const TemplateList> nodes) : nodes_(std::move(nodes)) {}

  std::shared_ptr<const TemplateList> nodes_;
};

}  // namespace lockstep::rules

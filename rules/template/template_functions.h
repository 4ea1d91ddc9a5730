// Template functions: those of Go (and, or, print, ...) and of Prometheus (query, first, humanize,
// ...).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "rules/template/template.h"
#include "rules/template/template_value.h"

namespace lockstep::rules {

struct TemplateFunction {
  std::string_view name;
  size_t min_arguments = 0;
  size_t max_arguments = 0;
  absl::StatusOr<TemplateValue> (*call)(const std::vector<TemplateValue>& arguments,
                                        const TemplateData& data);
};

// Null if there is no such function.
const TemplateFunction* FindTemplateFunction(std::string_view name);

// The path, below the external URL, at which this server shows the result of an expression.
std::string TableLink(std::string_view expression);

// `and` and `or` short-circuit.
bool IsAnd(const TemplateFunction& function);
bool IsOr(const TemplateFunction& function);

}  // namespace lockstep::rules

// The functions of templates: Go's own and, query, first, ...; Prometheus' humanize, label, match, ...
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

// Null if there is none of that name.
const TemplateFunction* FindTemplateFunction(std::string_view name);

// Where this server shows the answer to an expression, behind its external URL.
std::string TableLink(std::string_view expression);

// `and` and `or` evaluate no further than they need.
bool IsAnd(const TemplateFunction& function);
bool IsOr(const TemplateFunction& function);

}  // namespace lockstep::rules

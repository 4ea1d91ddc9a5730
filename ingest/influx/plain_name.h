// Converts foreign names to names that PromQL accepts without quotes: each invalid byte becomes an
// underscore, and a leading digit is prefixed with one. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// [a-zA-Z_:][a-zA-Z0-9_:]*
void AppendPlainMetricName(std::string& out, std::string_view name);
// [a-zA-Z_][a-zA-Z0-9_]*
void AppendPlainLabelName(std::string& out, std::string_view name);

}  // namespace lockstep

// Names from elsewhere as names that PromQL reads without quotes: whatever they may not have
// becomes an underscore, a byte each, and one that begins with a digit gets an underscore in front.
// Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// [a-zA-Z_:][a-zA-Z0-9_:]*
void AppendPlainMetricName(std::string& out, std::string_view name);
// [a-zA-Z_][a-zA-Z0-9_]*
void AppendPlainLabelName(std::string& out, std::string_view name);

}  // namespace lockstep

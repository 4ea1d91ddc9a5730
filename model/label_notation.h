// Label names and values in PromQL's notation, for label sets and matchers. Functions append to the
// caller's text.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// "a\"b": in quotes, with quotes, backslashes and newlines escaped and other bytes unchanged.
void AppendQuoted(std::string& out, std::string_view text);
// Writes a legacy name as it is, any other name in quotes.
void AppendLabelName(std::string& out, std::string_view name);

}  // namespace lockstep

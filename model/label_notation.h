// Label names and values as PromQL writes them, in label sets and matchers alike. Functions append to
// the caller's text.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// "a\"b": in quotes; quotes, backslashes and newlines escaped, other bytes as they are.
void AppendQuoted(std::string& out, std::string_view text);
// A name of the old alphabet as it is, any other in quotes.
void AppendLabelName(std::string& out, std::string_view name);

}  // namespace lockstep

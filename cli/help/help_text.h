// The output of `lockstep help VERB` and `lockstep VERB --help`. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/help/command_tree.h"

namespace lockstep::cli {

// Wraps `text` to `width` columns; each line is indented by `indent` spaces and ends with a
// newline.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

std::string HelpText(const Command& command);

}  // namespace lockstep::cli

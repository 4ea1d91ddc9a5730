// What `lockstep help VERB` and `lockstep VERB --help` print. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_tree.h"

namespace lockstep::cli {

// `text` in lines of at most `width` columns, each behind `indent` spaces and ended by a line break.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

std::string HelpText(const Command& command);

}  // namespace lockstep::cli

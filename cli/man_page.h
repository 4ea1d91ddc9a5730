// The manual page lockstep(1), as man(7) markup. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_tree.h"

namespace lockstep::cli {

// The same program gives the same bytes: the page has no date.
std::string ManPage(const Command& program, std::string_view version);

}  // namespace lockstep::cli

// The manual page lockstep(1), as man(7) markup. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/help/command_tree.h"

namespace lockstep::cli {

// The output has no date, so the same program always yields the same bytes.
std::string ManPage(const Command& program, std::string_view version);

}  // namespace lockstep::cli

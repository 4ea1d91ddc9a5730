// Scripts with which a shell completes command lines of the program. Pure.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace lockstep::cli {

// For bash 4 and newer: to be sourced, or put into bash-completion's folder under the program's name. Needs nothing
// but bash.
std::string BashCompletion(const Command& program);

// For zsh: to be put as _lockstep into a folder of $fpath, or sourced after compinit.
std::string ZshCompletion(const Command& program);

}  // namespace lockstep::cli

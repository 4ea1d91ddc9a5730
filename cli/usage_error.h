// What to say of a command line that cannot be parsed. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::cli {

// One sentence about the first thing that is wrong with `arguments` (without the program's name), and one that names
// the help to read. `parser_message` is what the parser says of it, which is used for everything but unknown verbs
// and flags.
std::string UsageError(CLI::App& program, const std::vector<std::string>& arguments,
                       const std::string& parser_message);

}  // namespace lockstep::cli

// The error message for an invalid command line. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::cli {

// One sentence about the first error in `arguments` (without the program's name), and one that
// points to the help. `parser_message` is used for everything except unknown verbs and flags.
std::string UsageError(CLI::App& program, const std::vector<std::string>& arguments,
                       const std::string& parser_message);

}  // namespace lockstep::cli

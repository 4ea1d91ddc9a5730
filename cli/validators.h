// Validators of flags' values.
#pragma once

#include <CLI/CLI.hpp>

namespace lockstep::cli {

// The same check without its description, which CLI11 would append to the name of the value in help.
inline CLI::Validator Unexplained(CLI::Validator validator) { return validator.description(""); }

}  // namespace lockstep::cli

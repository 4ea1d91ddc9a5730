// Versions of this program and its libraries.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep::cli {

std::string Version();   // "0.1.0"
std::string Revision();  // of the source; "" when unknown
std::string Compiler();  // "g++ 12.2.0"

// Libraries and their versions, at compile time or, if the library reports it, at run time.
std::vector<std::pair<std::string, std::string>> LibraryVersions();

std::string VersionLine();  // "lockstep 0.1.0 (7c1e0a4b5d2f)"

// The text of `lockstep version`.
std::string VersionText();

}  // namespace lockstep::cli

// What this program is made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep::cli {

std::string Version();   // "0.1.0"
std::string Revision();  // of the source, "" when unknown
std::string Compiler();  // "g++ 12.2.0"

// Library and version, as compiled in or, where the library tells, as loaded.
std::vector<std::pair<std::string, std::string>> LibraryVersions();

std::string VersionLine();  // "lockstep 0.1.0 (7c1e0a4b5d2f)"

// The text of `lockstep version`.
std::string VersionText();

}  // namespace lockstep::cli

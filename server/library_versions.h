// The versions of the libraries that only this module uses.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep::server {

std::vector<std::pair<std::string, std::string>> LibraryVersions();

}  // namespace lockstep::server

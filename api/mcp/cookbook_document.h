// docs/cookbook.md, embedded in the program.
#pragma once

#include <string_view>

namespace lockstep::api {

std::string_view CookbookDocument();

}  // namespace lockstep::api

// Text as a part of a URL. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// %XX for everything but letters, digits and "-._~".
std::string PercentEncode(std::string_view text);

}  // namespace lockstep

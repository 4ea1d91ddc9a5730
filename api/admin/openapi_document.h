// docs/openapi.yaml, embedded in the program.
#pragma once

#include <string_view>

namespace lockstep::api {

std::string_view OpenApiDocument();

}  // namespace lockstep::api

// docs/openapi.yaml, compiled in.
#pragma once

#include <string_view>

namespace lockstep::api {

std::string_view OpenApiDocument();

}  // namespace lockstep::api

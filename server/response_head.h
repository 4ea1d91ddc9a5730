// The status line and header fields of an answer, as bytes.
#pragma once

#include <string>
#include <string_view>

#include "api/http.h"

namespace lockstep::server {

// Content-Length is that of the body, whether or not it will be sent.
std::string ResponseHead(const api::Response& response, bool keep_alive);

// "Not Found" for 404.
std::string_view ReasonPhrase(int status);

}  // namespace lockstep::server

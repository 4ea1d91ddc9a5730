// The status line and header fields of an answer, as bytes.
#pragma once

#include <string>
#include <string_view>

#include "api/http.h"

namespace lockstep::server {

// How the end of a body is told. Source: RFC 9112, 6.
enum class BodyFraming {
  kLength,      // the body is whole
  kChunked,     // it comes in parts
  kUntilClose,  // likewise, to a client that knows no chunks
};

// The framing goes for the body whether or not it will be sent.
std::string ResponseHead(const api::Response& response, bool keep_alive, BodyFraming framing);

// What stands before a chunk of that many bytes; kChunkEnd stands behind it.
std::string ChunkHead(size_t byte_count);
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// "Not Found" for 404.
std::string_view ReasonPhrase(int status);

}  // namespace lockstep::server

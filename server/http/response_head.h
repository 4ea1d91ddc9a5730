// The status line and header fields of a response, as bytes.
#pragma once

#include <string>
#include <string_view>

#include "api/http/http.h"

namespace lockstep::server {

// How the end of a body is marked. Source: RFC 9112, 6.
enum class BodyFraming {
  kLength,      // the body is complete
  kChunked,     // the body comes in parts
  kUntilClose,  // the same, for a client that does not support chunks
};

// The framing describes the body whether or not it is sent.
std::string ResponseHead(const api::Response& response, bool keep_alive, BodyFraming framing);

// The bytes before a chunk of that size; kChunkEnd follows the chunk.
std::string ChunkHead(size_t byte_count);
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// "Not Found" for 404.
std::string_view ReasonPhrase(int status);

}  // namespace lockstep::server

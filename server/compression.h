// Compression of answers: which coding a client takes, and the bytes in it. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::server {

enum class ContentCoding { kIdentity, kGzip, kDeflate };

// As Content-Encoding spells it.
std::string_view Name(ContentCoding coding);

// The best coding that an Accept-Encoding header allows; gzip before deflate where the client does
// not mind. Source: RFC 9110, 12.5.3.
ContentCoding ChooseCoding(std::string_view accept_encoding);

// Precondition: `coding` is not kIdentity, and `bytes` are less than 4 GiB.
std::string Compress(std::string_view bytes, ContentCoding coding);

}  // namespace lockstep::server

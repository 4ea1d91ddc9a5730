// Decodes the Content-Encoding of write bodies.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget/memory_budget.h"
#include "base/status.h"

namespace lockstep {

enum class BodyEncoding {
  kIdentity,
  kSnappy,  // the block format, not the framed one
  kGzip,
  kDeflate,  // with zlib's header, as in HTTP
  kZstd,
};

// The encoding of a Content-Encoding header, in any case; nothing if it is not supported.
// Precondition: `content_encoding` is not empty.
std::optional<BodyEncoding> ParseBodyEncoding(std::string_view content_encoding);

// The encoding of a body without a Content-Encoding header: some remote write 1.0 senders omit it
// for snappy, others send plain bytes. Snappy's structure tells them apart.
BodyEncoding GuessBodyEncoding(std::string_view body);

// The decompressed body: a view of `body` or of `scratch`, whose old content is lost. Never uses
// more than `max_decoded_bytes` of memory, whatever the body claims, and charges it to `memory`
// (may be null) first. Errors:
//   kInvalidArgument  the body is not valid in that encoding
//   kOutOfRange       the decompressed body exceeds `max_decoded_bytes` or the limit of `memory`
//   kUnavailable      there is no memory for it now
absl::StatusOr<std::string_view> DecodeBody(BodyEncoding encoding, std::string_view body,
                                            size_t max_decoded_bytes, std::string& scratch,
                                            MemoryCharge* memory = nullptr);

}  // namespace lockstep

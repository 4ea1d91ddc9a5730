// Content-Encoding of write bodies: which one it is, and the plain bytes behind it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory_budget.h"
#include "base/status.h"

namespace lockstep {

enum class BodyEncoding {
  kIdentity,
  kSnappy,  // the block format, not the framed one
  kGzip,
  kDeflate,  // with zlib's header, as HTTP has it
  kZstd,
};

// The encoding that a Content-Encoding header names, any case; nothing for one we do not read.
// Precondition: `content_encoding` is not empty.
std::optional<BodyEncoding> ParseBodyEncoding(std::string_view content_encoding);

// What a body without a Content-Encoding header is: remote write 1.0 senders that leave it out mean
// snappy, others mean no compression. Snappy's own structure tells them apart.
BodyEncoding GuessBodyEncoding(std::string_view body);

// The decompressed body: a view of `body` or of `scratch`, whose old content is lost. Never takes
// more than `max_decoded_bytes` of memory, whatever the body claims; what it takes is charged to `memory` first,
// which may be null. Errors:
//   kInvalidArgument  the body is not of that encoding
//   kOutOfRange       the decompressed body would be larger than `max_decoded_bytes`, or than `memory` may be
//   kUnavailable      there is no memory for it now
absl::StatusOr<std::string_view> DecodeBody(BodyEncoding encoding, std::string_view body,
                                            size_t max_decoded_bytes, std::string& scratch,
                                            MemoryCharge* memory = nullptr);

}  // namespace lockstep

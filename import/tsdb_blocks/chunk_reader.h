// Decodes Prometheus chunks. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep::tsdb_blocks {

// On disk.
enum class ChunkEncoding : uint8_t { kFloat = 1, kHistogram = 2, kFloatHistogram = 3 };

// Appends the samples of `data` to `samples`; nothing if the chunk is malformed. kUnimplemented for
// unknown encodings.
absl::Status ReadChunk(uint8_t encoding, std::string_view data, SampleColumns& samples);

}  // namespace lockstep::tsdb_blocks

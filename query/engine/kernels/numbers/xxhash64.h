// XXH64 with seed 0, by which Prometheus chooses the series of limit_ratio(). Written out here
// because that is its only use: libxxhash would be one more dependency for one function.
//
// Source: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::engine {

uint64_t XxHash64(std::string_view bytes);

}  // namespace lockstep::engine

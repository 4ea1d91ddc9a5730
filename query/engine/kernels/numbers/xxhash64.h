// XXH64 with seed 0. Source: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::engine {

uint64_t XxHash64(std::string_view bytes);

}  // namespace lockstep::engine

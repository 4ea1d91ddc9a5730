// CRC-32C, the checksum of RocksDB's logs and of small text files.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep {

uint32_t Crc32c(std::string_view bytes);

}  // namespace lockstep

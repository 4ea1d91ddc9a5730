// CRC-32C, the checksum of RocksDB's logs and of small text files.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep {

uint32_t Crc32c(std::string_view bytes);
// The same on processors without an instruction for it.
uint32_t Crc32cByTable(std::string_view bytes);

}  // namespace lockstep

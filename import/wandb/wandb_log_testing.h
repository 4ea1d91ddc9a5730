// Writes W&B transaction logs for tests.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "import/wandb/wandb_log.h"

namespace lockstep::wandb {

inline void PutWandbChunk(std::string& out, uint8_t type, std::string_view data) {
  std::string type_and_data(1, static_cast<char>(type));
  type_and_data += data;
  const auto checksum =
      static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(type_and_data.data()),
                                  static_cast<uInt>(type_and_data.size())));
  const auto length = static_cast<uint16_t>(data.size());
  out.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  out.append(reinterpret_cast<const char*>(&length), sizeof(length));
  out += type_and_data;
}

// Appends `record` as W&B does; `out` is a log so far, or empty.
inline void PutWandbRecord(std::string& out, std::string_view record) {
  if (out.empty()) out = std::string_view(":W&B\xe1\xbe\0", kHeaderBytes);
  bool is_first = true;
  do {
    size_t left = kBlockBytes - out.size() % kBlockBytes;
    if (left < kChunkHeaderBytes) {
      out.append(left, '\0');
      left = kBlockBytes;
    }
    const std::string_view data = record.substr(0, left - kChunkHeaderBytes);
    record.remove_prefix(data.size());
    const uint8_t type = record.empty() ? (is_first ? 1 : 4) : (is_first ? 2 : 3);
    PutWandbChunk(out, type, data);
    is_first = false;
  } while (!record.empty());
}

}  // namespace lockstep::wandb

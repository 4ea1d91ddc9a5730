#include "import/wandb/wandb_log.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "import/wandb/wandb_limits.h"

namespace lockstep::wandb {
namespace {

constexpr std::string_view kHeader{":W&B\xe1\xbe\0", kHeaderBytes};

uint32_t ChecksumOf(std::string_view type_and_data) {
  return static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(type_and_data.data()),
                                     static_cast<uInt>(type_and_data.size())));
}

}  // namespace

bool IsWandbLog(std::string_view head) { return head.starts_with(kHeader); }

void WandbLogReader::Append(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += bytes;
}

std::optional<std::string_view> WandbLogReader::Next() {
  if (!is_in_record_) record_.clear();
  if (is_foreign_ || (offset_ == 0 && !TakeHeader())) return std::nullopt;
  while (SkipPadding()) {
    const std::optional<Chunk> chunk = TakeChunk();
    if (!chunk.has_value()) return std::nullopt;
    if (chunk->data.data() == nullptr) {
      DropRecord();
    } else if (Join(*chunk)) {
      return record_;
    }
  }
  return std::nullopt;
}

void WandbLogReader::Finish() {
  is_foreign_ = is_foreign_ || offset_ == 0;
  is_cut_ = !is_foreign_ && (is_in_record_ || !Rest().empty() || padding_ > 0);
}

void WandbLogReader::Advance(size_t byte_count) {
  at_ += byte_count;
  offset_ += byte_count;
}

bool WandbLogReader::TakeHeader() {
  if (Rest().size() < kHeaderBytes) return false;
  is_foreign_ = !IsWandbLog(Rest());
  if (!is_foreign_) Advance(kHeaderBytes);
  return !is_foreign_;
}

bool WandbLogReader::SkipPadding() {
  if (padding_ == 0 && LeftInBlock() < kChunkHeaderBytes) padding_ = LeftInBlock();
  const auto skipped = static_cast<size_t>(std::min<uint64_t>(padding_, Rest().size()));
  Advance(skipped);
  padding_ -= skipped;
  return padding_ == 0;
}

std::optional<WandbLogReader::Chunk> WandbLogReader::TakeChunk() {
  const std::string_view rest = Rest();
  if (rest.size() < kChunkHeaderBytes) return std::nullopt;
  uint32_t checksum = 0;
  uint16_t length = 0;
  std::memcpy(&checksum, rest.data(), sizeof(checksum));
  std::memcpy(&length, rest.data() + sizeof(checksum), sizeof(length));
  const auto type = static_cast<uint8_t>(rest[kChunkHeaderBytes - 1]);
  const size_t chunk_bytes = kChunkHeaderBytes + length;
  const bool fits = chunk_bytes <= LeftInBlock();
  if (fits && rest.size() < chunk_bytes) return std::nullopt;
  const bool is_good = fits && type >= kFull && type <= kLast &&
                       checksum == ChecksumOf(rest.substr(kChunkHeaderBytes - 1, 1 + length));
  if (is_good) {
    Advance(chunk_bytes);
    is_behind_damage_ = false;
    return Chunk{rest.substr(kChunkHeaderBytes, length), type};
  }
  ++damaged_chunks_;
  if (fits && !is_behind_damage_) {
    Advance(chunk_bytes);
    is_behind_damage_ = true;
  } else {
    padding_ = LeftInBlock();
    is_behind_damage_ = false;
  }
  return Chunk{{}, type};
}

bool WandbLogReader::Join(const Chunk& chunk) {
  const bool begins = chunk.type == kFull || chunk.type == kFirst;
  if (begins) {
    // The previous record has no end: its writer was killed, and restarted in this file.
    if (is_in_record_) ++damaged_chunks_;
    DropRecord();
  } else if (!is_in_record_) {
    return false;  // its record's first chunk is lost
  }
  is_too_long_ = is_too_long_ || record_.size() + chunk.data.size() > kMaxRecordBytes;
  if (!is_too_long_) record_ += chunk.data;
  const bool ends = chunk.type == kFull || chunk.type == kLast;
  is_in_record_ = !ends;
  if (!ends) return false;
  if (!is_too_long_) return true;
  ++long_records_;
  DropRecord();
  return false;
}

void WandbLogReader::DropRecord() {
  record_.clear();
  is_in_record_ = false;
  is_too_long_ = false;
}

}  // namespace lockstep::wandb

// Reads the framing of W&B's transaction log (run-ID.wandb): a header, then LevelDB's log format
// with another checksum.
//
//   +------+--------------+---------+    +-------------+-------------+----------+------+
//   | :W&B | magic: 0xBEE1 | version |    | crc: u32 LE | length: u16 | type: u8 | data | ...
//   +------+--------------+---------+    +-------------+-------------+----------+------+
//     4      2 (LE)         1 = 0          CRC-32 of type and data
//
// The file is divided into blocks of 32 KiB; the first begins with the header. A record that does
// not fit into the rest of its block is split into chunks: first (2), middle (3) ... last (4); one
// that fits is full (1). The last 6 bytes or fewer of a block, too short for a chunk, are zeros.
// After a damaged chunk, reading continues with the next one, or, if that is invalid too because a
// length was damaged, in the next block.
// Source: wandb/wandb, core/pkg/leveldb/record.go; google/leveldb, doc/log_format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::wandb {

inline constexpr size_t kHeaderBytes = 7;
inline constexpr size_t kBlockBytes = 32 << 10;
inline constexpr size_t kChunkHeaderBytes = 7;

// Whether a file that begins with `head` is such a log.
bool IsWandbLog(std::string_view head);

// Reads a file piece by piece. For one thread.
class WandbLogReader {
 public:
  // Adds the next bytes of the file. Call Next() until it returns nothing before the next Append().
  void Append(std::string_view bytes);
  // The next complete, undamaged record, valid until the next call of either.
  std::optional<std::string_view> Next();
  // Call at the end of the file.
  void Finish();

  uint64_t damaged_chunks() const { return damaged_chunks_; }
  uint64_t long_records() const { return long_records_; }  // skipped
  // Whether the last record is incomplete, as after a crash. Valid after Finish().
  bool is_cut() const { return is_cut_; }
  // Whether the file is not such a log; then nothing was read.
  bool is_foreign() const { return is_foreign_; }

 private:
  enum ChunkType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };
  struct Chunk {
    std::string_view data;
    uint8_t type;
  };

  std::string_view Rest() const { return std::string_view(buffer_).substr(at_); }
  size_t LeftInBlock() const { return kBlockBytes - static_cast<size_t>(offset_ % kBlockBytes); }
  void Advance(size_t byte_count);
  // False if more bytes are needed.
  bool TakeHeader();
  bool SkipPadding();
  // Null data if the chunk is damaged; nothing if more bytes are needed.
  std::optional<Chunk> TakeChunk();
  // Whether this chunk completes record_.
  bool Join(const Chunk& chunk);
  void DropRecord();

  std::string buffer_;
  size_t at_ = 0;         // in buffer_
  uint64_t offset_ = 0;   // of at_ in the file
  uint64_t padding_ = 0;  // bytes to skip from here
  std::string record_;    // its chunks so far
  bool is_in_record_ = false;
  bool is_too_long_ = false;
  bool is_behind_damage_ = false;
  bool is_foreign_ = false;
  bool is_cut_ = false;
  uint64_t damaged_chunks_ = 0;
  uint64_t long_records_ = 0;
};

}  // namespace lockstep::wandb

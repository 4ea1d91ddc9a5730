// Limits for training logs. Everything that grows with input has one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::logs {

// For comparison: 250 columns of allocator statistics take 20 KB, system metrics of 8 GPUs 12 KB.
inline constexpr size_t kMaxLineBytes = 1 << 20;
// For whole JSON documents: a trainer's state contains its whole log, 200 bytes per record.
inline constexpr size_t kMaxDocumentBytes = 16 << 20;
inline constexpr size_t kMaxValuesPerRecord = 4096;
// For a name, and so for the bytes after a line that parsers may read: see kBufferPadding.
inline constexpr size_t kMaxKeyBytes = 256;
// Distinct names in one stream.
inline constexpr size_t kMaxKeys = 8192;
inline constexpr size_t kMaxRanksPerStream = 1 << 17;
inline constexpr uint32_t kMaxAttempts = 1000;
inline constexpr int kMaxJsonDepth = 16;
// Prefixes of one line: kubectl's, then mpirun's, then torchrun's.
inline constexpr int kMaxPrefixes = 4;
inline constexpr size_t kMaxLabelsPerRecord = 4;

// After this many bytes without a recognized format, lines count as ignored.
inline constexpr size_t kMaxSniffedBytes = 256 << 10;
inline constexpr size_t kMaxSniffedLines = 1000;

// Rejected lines kept with their reasons; further ones are only counted.
inline constexpr size_t kMaxKeptRejections = 100;
inline constexpr size_t kMaxKeptTextBytes = 200;

// Bytes enter a stream's buffer in pieces of this size.
inline constexpr size_t kReadBytes = 64 << 10;
// Readable bytes after every line: more than SIMDJSON_PADDING, and more than any name.
inline constexpr size_t kBufferPadding = kMaxKeyBytes + 128;

}  // namespace lockstep::logs

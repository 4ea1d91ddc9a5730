// Limits of what is read from training logs. Everything that grows with input has one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::logs {

// A line with 250 columns of allocator statistics has 20 KB; one of system metrics of 8 GPUs 12 KB.
inline constexpr size_t kMaxLineBytes = 1 << 20;
// Whole JSON documents: a trainer's state holds its log from the first step on, 200 bytes a record.
inline constexpr size_t kMaxDocumentBytes = 16 << 20;
inline constexpr size_t kMaxValuesPerRecord = 4096;
// Of a name, and so of what follows a line in the buffers that parsers look into: see kBufferPadding.
inline constexpr size_t kMaxKeyBytes = 256;
// Different names in one stream.
inline constexpr size_t kMaxKeys = 8192;
inline constexpr size_t kMaxRanksPerStream = 1 << 17;
inline constexpr uint32_t kMaxAttempts = 1000;
inline constexpr int kMaxJsonDepth = 16;
// Prefixes in front of one line: kubectl's, then mpirun's, then torchrun's.
inline constexpr int kMaxPrefixes = 4;
inline constexpr size_t kMaxLabelsPerRecord = 4;

// How far the format of a stream is looked for before its lines count as chatter.
inline constexpr size_t kMaxSniffedBytes = 256 << 10;
inline constexpr size_t kMaxSniffedLines = 1000;

// Broken lines kept with their reasons; the others are counted.
inline constexpr size_t kMaxKeptRejections = 100;
inline constexpr size_t kMaxKeptTextBytes = 200;

// Bytes are taken into a stream's buffer in pieces of this size.
inline constexpr size_t kReadBytes = 64 << 10;
// Readable bytes behind every line: more than SIMDJSON_PADDING, and than any name.
inline constexpr size_t kBufferPadding = kMaxKeyBytes + 128;

}  // namespace lockstep::logs

// TFRecord, the framing of TensorBoard's event files: a checksummed length, then checksummed data.
//
//   +-----------------+----------------------+-----------+----------------------+
//   | length: u64, LE | masked crc of length | data      | masked crc of data   |
//   +-----------------+----------------------+-----------+----------------------+
//     8 bytes           4 bytes                length      4 bytes
//
// A crc is CRC-32C, masked by a rotation and an addition, so that checksums of data that contains
// checksums are not special. Nothing marks the start of a record: after a damaged length nothing
// can be found, but after damaged data the next record can.
//
// Source: tensorflow/tensorflow, core/lib/io/record_writer.h and core/lib/hash/crc32c.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "import/traces/records/trace_problems.h"

namespace lockstep::traces {

inline constexpr size_t kTfRecordHeaderBytes = 12;
inline constexpr size_t kTfRecordFooterBytes = 4;

struct TfRecord {
  std::string_view data;  // valid until the reader's next call
  uint64_t offset = 0;    // of its header in the file
};

// Reads a file piece by piece, as far as it has been written. For one thread.
class TfRecordReader {
 public:
  // `problems` must outlive the reader.
  explicit TfRecordReader(TraceProblems& problems) : problems_(problems) {}

  // Adds the next bytes of the file. Call Next() until it returns nothing before the next Append().
  void Append(std::string_view bytes);
  // The next complete record whose data is undamaged and not too long.
  std::optional<TfRecord> Next();

  // The end of the last complete record, even of a bad one.
  uint64_t offset() const { return offset_; }
  // The bytes of an incomplete record.
  size_t torn_bytes() const { return is_stopped_ ? 0 : torn_bytes_in_skip_ + buffer_.size() - at_; }
  // Whether a damaged length ended the reading; then appended bytes are ignored.
  bool is_stopped() const { return is_stopped_; }

 private:
  std::string_view Rest() const { return std::string_view(buffer_).substr(at_); }
  bool Skip();
  void Stop(std::string_view reason);

  TraceProblems& problems_;
  std::string buffer_;
  size_t at_ = 0;  // in buffer_
  uint64_t offset_ = 0;
  uint64_t bytes_to_skip_ = 0;  // remaining bytes of an overlong record
  uint64_t torn_bytes_in_skip_ = 0;
  bool is_stopped_ = false;
};

// The checksum of a length or of data.
uint32_t MaskedCrc32c(std::string_view bytes);

}  // namespace lockstep::traces

// TFRecord, the framing of TensorBoard's event files: a checksummed length, then checksummed data.
//
//   +-----------------+----------------------+-----------+----------------------+
//   | length: u64, LE | masked crc of length | data      | masked crc of data   |
//   +-----------------+----------------------+-----------+----------------------+
//     8 bytes           4 bytes                length      4 bytes
//
// A crc is CRC-32C, masked by a rotation and an addition, so that checksums of data that holds checksums are no
// special case. Nothing marks where a record starts: behind a damaged length nothing more can be found, behind
// damaged data the next record can.
//
// Source: tensorflow/tensorflow, core/lib/io/record_writer.h and core/lib/hash/crc32c.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "import/traces/trace_problems.h"

namespace lockstep::traces {

inline constexpr size_t kTfRecordHeaderBytes = 12;
inline constexpr size_t kTfRecordFooterBytes = 4;

struct TfRecord {
  std::string_view data;  // lives until the reader's next call
  uint64_t offset = 0;    // of its header in the file
};

// Takes a file piece by piece, as far as it has been written. For one thread.
class TfRecordReader {
 public:
  // `problems` outlives the reader.
  explicit TfRecordReader(TraceProblems& problems) : problems_(problems) {}

  // The next bytes of the file. Call Next() until it has no more before the next Append().
  void Append(std::string_view bytes);
  // The next whole record whose data is undamaged and not too long.
  std::optional<TfRecord> Next();

  // Where the file goes on: the end of the last whole record, even of a bad one.
  uint64_t offset() const { return offset_; }
  // Bytes of a record that has begun and is not whole.
  size_t torn_bytes() const { return is_stopped_ ? 0 : torn_bytes_in_skip_ + buffer_.size() - at_; }
  // Whether a damaged length ended the reading; what is appended then is left unread.
  bool is_stopped() const { return is_stopped_; }

 private:
  std::string_view Rest() const { return std::string_view(buffer_).substr(at_); }
  bool Skip();
  void Stop(std::string_view reason);

  TraceProblems& problems_;
  std::string buffer_;
  size_t at_ = 0;  // in buffer_
  uint64_t offset_ = 0;
  uint64_t bytes_to_skip_ = 0;  // of a record that is too long, still to come
  uint64_t torn_bytes_in_skip_ = 0;
  bool is_stopped_ = false;
};

// Of a length or of data.
uint32_t MaskedCrc32c(std::string_view bytes);

// Appends `data` as a record.
void PutTfRecord(std::string& out, std::string_view data);

}  // namespace lockstep::traces

#include "import/traces/tensorboard/tfrecord.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/crc32c.h"
#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
T ReadLittleEndian(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

}  // namespace

uint32_t MaskedCrc32c(std::string_view bytes) { return std::rotr(Crc32c(bytes), 15) + 0xa282ead8u; }

void TfRecordReader::Append(std::string_view bytes) {
  if (is_stopped_) return;
  if (at_ > 0) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  const size_t skipped = static_cast<size_t>(std::min<uint64_t>(bytes_to_skip_, bytes.size()));
  bytes_to_skip_ -= skipped;
  torn_bytes_in_skip_ += skipped;
  if (bytes_to_skip_ == 0 && torn_bytes_in_skip_ > 0) {
    offset_ += torn_bytes_in_skip_;
    torn_bytes_in_skip_ = 0;
  }
  buffer_ += bytes.substr(skipped);
}

// Starts skipping the record at the front, whose length is verified; returns whether it ends in the
// buffer.
bool TfRecordReader::Skip() {
  const uint64_t length = ReadLittleEndian<uint64_t>(Rest());
  const uint64_t frame_bytes = kTfRecordHeaderBytes + length + kTfRecordFooterBytes;
  const uint64_t here = std::min<uint64_t>(frame_bytes, Rest().size());
  at_ += static_cast<size_t>(here);
  if (here == frame_bytes) {
    offset_ += frame_bytes;
    return true;
  }
  bytes_to_skip_ = frame_bytes - here;
  torn_bytes_in_skip_ = here;
  return false;
}

void TfRecordReader::Stop(std::string_view reason) {
  problems_.Count(reason, offset_);
  is_stopped_ = true;
  buffer_.clear();
  at_ = 0;
}

std::optional<TfRecord> TfRecordReader::Next() {
  while (!is_stopped_ && Rest().size() >= kTfRecordHeaderBytes) {
    const std::string_view rest = Rest();
    const auto length = ReadLittleEndian<uint64_t>(rest);
    if (ReadLittleEndian<uint32_t>(rest.substr(8)) != MaskedCrc32c(rest.substr(0, 8))) {
      Stop("damaged length of a record; nothing after it was read");
      break;
    }
    if (length > kMaxEventRecordBytes) {
      // No file is this long; adding to it could overflow.
      if (length > uint64_t{1} << 62) {
        Stop("impossible length of a record; nothing after it was read");
        break;
      }
      problems_.Count("record too long", offset_);
      if (!Skip()) break;
      continue;
    }
    if (rest.size() < kTfRecordHeaderBytes + length + kTfRecordFooterBytes) break;
    const TfRecord record{rest.substr(kTfRecordHeaderBytes, length), offset_};
    const auto crc = ReadLittleEndian<uint32_t>(rest.substr(kTfRecordHeaderBytes + length));
    Skip();
    if (crc == MaskedCrc32c(record.data)) return record;
    problems_.Count("damaged record", record.offset);
  }
  return std::nullopt;
}

}  // namespace lockstep::traces

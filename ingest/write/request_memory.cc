#include "ingest/write/request_memory.h"

#include <algorithm>
#include <protozero/pbf_reader.hpp>

#include "absl/strings/str_format.h"

namespace lockstep {

absl::Status AsWriteError(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::OutOfRangeError(std::string(Message(status)));
}

void RequestMemory::Begin(size_t message_bytes, const IngestLimits& limits) {
  const uint64_t expanded = uint64_t{message_bytes} * limits.max_label_expansion;
  max_label_bytes_ = std::min<uint64_t>(std::max<uint64_t>(expanded, limits.free_label_bytes),
                                        limits.max_label_bytes_per_request);
}

bool RequestMemory::AddLabels(uint64_t bytes) {
  // The packed labels and the rest of a series.
  constexpr uint64_t kSeriesBytes = 256;
  label_bytes_ += bytes;
  if (label_bytes_ > max_label_bytes_ && status_.ok()) {
    status_ = absl::OutOfRangeError(absl::StrFormat(
        "the expanded labels of the request exceed the limit of %d bytes", max_label_bytes_));
  }
  return Add(2 * bytes + kSeriesBytes);
}

bool RequestMemory::AddMessage(std::string_view message) {
  constexpr size_t kLongBytes = 64 << 10;
  // A sample's memory, in growing vectors, including its copies on the way.
  constexpr uint64_t kBytesPerField = 96;
  if (message.size() < kLongBytes) return true;
  uint64_t fields = 0;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    reader.skip();
    ++fields;
  }
  return Add(fields * kBytesPerField);
}

}  // namespace lockstep

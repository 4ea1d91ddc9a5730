// Every bound on what write requests may hold, in one place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep {

struct IngestLimits {
  // Over one of these the whole request is refused (413).
  size_t max_body_bytes = 32 << 20;     // as sent
  size_t max_decoded_bytes = 32 << 20;  // after decompression
  size_t max_series_per_request = 200'000;
  // Over one of these the series is refused and the others are kept (400).
  size_t max_labels_per_series = 128;
  size_t max_label_name_bytes = 64 << 10;
  size_t max_label_value_bytes = 64 << 10;
  // Of all requests together; over it a request is refused whole (429). 0: no limit.
  uint64_t max_samples_per_second = 0;
};

}  // namespace lockstep

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
  // Of all series, spelled out: a request of 2.0 can name a long text very often.
  size_t max_label_bytes_per_request = 256 << 20;
  // Over one of these the series is refused and the others are kept (400).
  size_t max_labels_per_series = 128;
  size_t max_label_name_bytes = 64 << 10;
  size_t max_label_value_bytes = 64 << 10;
  // Over it the others are kept: no more fit into the store of exemplars.
  size_t max_exemplars_per_request = 100'000;
  // Of all requests together; over it a request is refused whole (429). 0: no limit.
  uint64_t max_samples_per_second = 0;
};

}  // namespace lockstep

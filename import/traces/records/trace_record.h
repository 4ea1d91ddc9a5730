// The result of the readers in this folder: named numbers. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::traces {

struct TraceLabel {
  std::string name;
  std::string value;
  friend bool operator==(const TraceLabel&, const TraceLabel&) = default;
};

struct TraceRecord {
  // The catalogue's name if known, otherwise the file's.
  std::string metric;
  std::string written;    // as in the file; "" if the reader computed the value
  double value = 0;       // in `unit`
  std::string_view unit;  // "s", "bytes", "ratio", ...; "": unknown, "1": none. Static storage.
  // The position on the x axis: the training step; with the label axis="samples" a sample count.
  std::optional<int64_t> step;
  std::optional<int64_t> time_ms;  // since 1970
  // Replaces time_ms if the recording's time is unknown: time since its begin.
  std::optional<int64_t> since_begin_ms;
  std::optional<int32_t> rank;
  std::vector<TraceLabel> labels;
};

}  // namespace lockstep::traces

// What the readers of this folder make of a file: named numbers. Plain data.
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
  // The catalogue's name where it knows the file's, else the file's own.
  std::string metric;
  std::string written;    // as the file writes it; "" where the reader made the value itself
  double value = 0;       // in `unit`
  std::string_view unit;  // "s", "bytes", "ratio", ...; "" is unknown, "1" has none. Lives forever.
  // Where on the x axis: the training step; with the label axis="samples" a count of samples.
  std::optional<int64_t> step;
  std::optional<int64_t> time_ms;  // since 1970
  // Instead of it, where nobody says when a recording was: since its begin.
  std::optional<int64_t> since_begin_ms;
  std::optional<int32_t> rank;
  std::vector<TraceLabel> labels;
};

}  // namespace lockstep::traces

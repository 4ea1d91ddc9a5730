// SeriesPart: series with their samples, one at a time, for one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::engine {

// Not thread-safe. What it gives out lives until Next().
class SeriesPart {
 public:
  virtual ~SeriesPart() = default;
  // Moves to the next series; false at the end.
  virtual absl::StatusOr<bool> Next() = 0;
  // Of the series among those of all parts; they ascend.
  virtual size_t position() const = 0;
  virtual const LabelSet& labels() const = 0;
  // Whether the metric name is to go when the query is done.
  virtual bool drop_name() const = 0;
  // Free to be changed.
  virtual SampleColumns& samples() = 0;
};

// In how many parts so many series are worth to be divided.
inline size_t PartsFor(size_t series_count, size_t max_parts) {
  constexpr size_t kMinSeriesOfPart = 32;
  return std::clamp<size_t>(series_count / kMinSeriesOfPart, 1, max_parts);
}

// All series of a selector or a subquery.
struct SeriesParts {
  size_t series_count = 0;
  std::vector<std::unique_ptr<SeriesPart>> parts;
};

}  // namespace lockstep::engine

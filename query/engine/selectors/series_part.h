// SeriesPart: iterates over series with their samples, for one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::engine {

// Not thread-safe. Returned references are valid until Next().
class SeriesPart {
 public:
  virtual ~SeriesPart() = default;
  // Moves to the next series; returns false at the end.
  virtual absl::StatusOr<bool> Next() = 0;
  // The index of the series among those of all parts, ascending.
  virtual size_t position() const = 0;
  virtual const LabelSet& labels() const = 0;
  // Whether to drop the metric name at the end of the query.
  virtual bool drop_name() const = 0;
  // The caller may change them.
  virtual SampleColumns& samples() = 0;
};

// How many parts to split series into whose reading is this much work (SeriesSet::work()).
inline size_t PartsFor(size_t work, size_t max_parts) {
  constexpr size_t kMinWorkOfPart = 32;
  return std::clamp<size_t>(work / kMinWorkOfPart, 1, max_parts);
}

// All series of a selector or subquery.
struct SeriesParts {
  size_t series_count = 0;
  std::vector<std::unique_ptr<SeriesPart>> parts;
};

}  // namespace lockstep::engine

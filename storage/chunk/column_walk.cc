#include "storage/chunk/column_walk.h"

#include "storage/chunk/merge_columns.h"

namespace lockstep {
bool ColumnWalk::SameValueAs(const ColumnWalk& other) const {
  if (at_histogram() != other.at_histogram()) return false;
  if (!at_histogram()) {
    return SameBits(columns_.values[float_], other.columns_.values[other.float_]) &&
           columns_.StartOf(float_) == other.columns_.StartOf(other.float_);
  }
  return SameSamples(columns_.histograms[histogram_], other.columns_.histograms[other.histogram_]);
}

void ColumnWalk::CopyTo(SampleColumns& out) const {
  if (at_histogram()) {
    out.histograms.push_back(columns_.histograms[histogram_]);
  } else {
    out.Append(columns_.timestamps_ms[float_], columns_.values[float_], columns_.StartOf(float_));
  }
}

}  // namespace lockstep

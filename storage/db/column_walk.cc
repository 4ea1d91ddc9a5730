#include "storage/db/column_walk.h"

#include "storage/chunk/merge_columns.h"

namespace lockstep {
namespace {

// A varint or a float, with what a codec may put around it.
constexpr size_t kMaxNumberBytes = 11;

}  // namespace

bool ColumnWalk::SameValueAs(const ColumnWalk& other) const {
  if (at_histogram() != other.at_histogram()) return false;
  if (!at_histogram()) {
    return SameBits(columns_.values[float_], other.columns_.values[other.float_]);
  }
  return SameBits(*columns_.histograms[histogram_].histogram,
                  *other.columns_.histograms[other.histogram_].histogram);
}

void ColumnWalk::CopyTo(SampleColumns& out) const {
  if (at_histogram()) {
    out.histograms.push_back(columns_.histograms[histogram_]);
  } else {
    out.Append(columns_.timestamps_ms[float_], columns_.values[float_]);
  }
}

size_t ColumnWalk::EncodedBytes() const {
  if (!at_histogram()) return 2 * kMaxNumberBytes;
  const Histogram& histogram = *columns_.histograms[histogram_].histogram;
  const size_t numbers = 8 + histogram.positive_counts.size() + histogram.negative_counts.size() +
                         histogram.custom_values.size() +
                         2 * (histogram.positive_spans.size() + histogram.negative_spans.size());
  return numbers * kMaxNumberBytes;
}

}  // namespace lockstep

// ColumnWalk: iterates over samples of both kinds in order of time. Must not outlive its columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/sample.h"

namespace lockstep {

class ColumnWalk {
 public:
  explicit ColumnWalk(const SampleColumns& columns) : columns_(columns) {}

  bool done() const {
    return float_ == columns_.values.size() && histogram_ == columns_.histograms.size();
  }
  // Precondition of the rest: !done().
  int64_t time_ms() const {
    return at_histogram() ? columns_.histograms[histogram_].timestamp_ms
                          : columns_.timestamps_ms[float_];
  }
  void Next() { ++(at_histogram() ? histogram_ : float_); }
  // Whether both samples have the same kind and the same bits, including their start timestamps.
  bool SameValueAs(const ColumnWalk& other) const;
  void CopyTo(SampleColumns& out) const;

 private:
  bool at_histogram() const {
    if (float_ == columns_.values.size()) return true;
    return histogram_ < columns_.histograms.size() &&
           columns_.histograms[histogram_].timestamp_ms < columns_.timestamps_ms[float_];
  }

  const SampleColumns& columns_;
  size_t float_ = 0;
  size_t histogram_ = 0;
};

}  // namespace lockstep

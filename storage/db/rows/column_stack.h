// ColumnStack: merges the samples of one series from the places where they are stored. Add the
// oldest writes first: of samples with equal times the one added last wins. Not thread-safe; reuse
// it to reuse its memory.
#pragma once

#include "model/sample.h"

namespace lockstep {

class ColumnStack {
 public:
  void Clear() { columns_.Clear(); }
  void Add(const SampleColumns& newer);
  const SampleColumns& columns() const { return columns_; }

 private:
  SampleColumns columns_;
  SampleColumns merged_;
};

}  // namespace lockstep

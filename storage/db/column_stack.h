// ColumnStack: puts the samples of one series together from where they are kept, oldest writing
// first: of equal times the one added last stays. Not thread-safe; reuse it to reuse its memory.
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

// SharedParts: what a query reads more than once is read once.
//
// `a / (a + b)` has the selector `a` twice, and many a ratio has the same rate() on both sides. These
// parts are found before the evaluation; the first to be evaluated leaves a copy for the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "query/engine/evaluated.h"
#include "query/engine/sample_counts.h"
#include "query/engine/step_grid.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// A selector, or a function of a range selector, that occurs several times.
struct SharedPart {
  struct Kept {
    StepGrid grid;
    VectorValue value;
    SampleCounts counts;  // of what was looked at for it
  };
  size_t uses_left = 0;
  std::optional<Kept> kept;
};

// Not thread-safe. The tree is borrowed and must outlive it.
class SharedParts {
 public:
  explicit SharedParts(const promql::Expr& root);

  // Null unless `expr` occurs more than once.
  SharedPart* Find(const promql::Expr& expr);

 private:
  absl::flat_hash_map<std::string, SharedPart> by_text_;
  absl::flat_hash_map<const promql::Expr*, SharedPart*> by_expr_;
};

// Charged to the same budget; kResourceExhausted if that is too much.
absl::StatusOr<VectorValue> Copy(const VectorValue& vector);

}  // namespace lockstep::engine

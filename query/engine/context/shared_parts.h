// SharedParts: reads a part that occurs several times in a query only once.
//
// `a / (a + b)` has the selector `a` twice, and many ratios have the same rate() on both sides.
// Such parts are found before the evaluation; the first one evaluated leaves a copy for the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "query/engine/values/evaluated.h"
#include "query/engine/values/sample_counts.h"
#include "query/engine/values/step_grid.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// A selector, or a function of a range selector, that occurs several times.
struct SharedPart {
  struct Kept {
    StepGrid grid;
    VectorValue value;
    SampleCounts counts;  // samples looked at for it
  };
  size_t uses_left = 0;
  std::optional<Kept> kept;
};

// Not thread-safe. The tree is borrowed and must outlive this.
class SharedParts {
 public:
  explicit SharedParts(const promql::Expr& root);

  // Null unless `expr` occurs more than once.
  SharedPart* Find(const promql::Expr& expr);

 private:
  absl::flat_hash_map<std::string, SharedPart> by_text_;
  absl::flat_hash_map<const promql::Expr*, SharedPart*> by_expr_;
};

// Returns a copy charged to the same budget, or kResourceExhausted if that is exceeded.
absl::StatusOr<VectorValue> Copy(const VectorValue& vector);

}  // namespace lockstep::engine

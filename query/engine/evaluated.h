// What a subexpression evaluates to, over all steps at once.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "model/labels.h"
#include "query/engine/column.h"
#include "query/engine/sample_charge.h"

namespace lockstep::engine {

struct EvaluatedSeries {
  LabelSet labels;
  // The metric name is to go when the query is done; until then operators still see it.
  bool drop_name = false;
  Column column;
};

// An instant vector at every step. Within one step no two series have the same labels, except in
// evaluations of a single step, where only the end of the query looks.
struct VectorValue {
  std::vector<EvaluatedSeries> series;
  SampleCharge charge;
};

// One float per step.
struct ScalarValue {
  std::vector<double> values;
  SampleCharge charge;
};

struct StringValue {
  std::string text;
};

using EvaluatedValue = std::variant<ScalarValue, StringValue, VectorValue>;

}  // namespace lockstep::engine

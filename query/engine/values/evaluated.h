// The value of a subexpression over all steps.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "model/labels.h"
#include "query/engine/values/column.h"
#include "query/engine/values/sample_charge.h"

namespace lockstep::engine {

struct EvaluatedSeries {
  LabelSet labels;
  // Drop the metric name at the end of the query; until then operators still see it.
  bool drop_name = false;
  Column column;
};

// An instant vector at every step. Within one step, no two series have the same labels, except in
// evaluations of a single step, which check this only at the end of the query.
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

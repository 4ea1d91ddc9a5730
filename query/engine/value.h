// What a query evaluates to. Plain data; the API turns it into JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/labels.h"
#include "model/sample.h"
#include "query/engine/query_plan.h"

namespace lockstep::engine {

struct ScalarResult {
  int64_t timestamp_ms = 0;
  double value = 0;
};

struct StringResult {
  int64_t timestamp_ms = 0;
  std::string value;
};

struct VectorElement {
  LabelSet labels;
  int64_t timestamp_ms = 0;
  double value = 0;
  std::shared_ptr<const Histogram> histogram;  // when set, `value` means nothing
};
// In the order in which it is to be shown.
using VectorResult = std::vector<VectorElement>;

struct MatrixSeries {
  LabelSet labels;
  SampleColumns samples;
};
// Sorted by labels; no series is empty.
using MatrixResult = std::vector<MatrixSeries>;

using QueryValue = std::variant<ScalarResult, StringResult, VectorResult, MatrixResult>;

// Texts with their "(line:column)" suffix, each once, in order of appearance.
struct Annotations {
  std::vector<std::string> warnings;
  std::vector<std::string> infos;
};

struct QueryStats {
  double parse_seconds = 0;
  double eval_seconds = 0;
  int64_t total_samples = 0;              // that selectors gave, at each step: sample_counts.h
  std::vector<int64_t> samples_per_step;  // the same by step, if the query asked for it
  int64_t peak_samples = 0;               // held in memory at once
  uint64_t series_count = 0;
};

struct QueryResult {
  QueryValue value;
  Annotations annotations;
  QueryStats stats;
  std::optional<PlanNode> plan;  // if the query asked for it
};

}  // namespace lockstep::engine

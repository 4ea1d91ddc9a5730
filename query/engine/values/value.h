// The result of a query. Plain data; the API converts it to JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::engine {

// What a selector requested from the store and received.
struct SelectorCost {
  std::vector<std::string> matchers;  // name="value"
  uint64_t series_count = 0;          // with samples in the range
  int64_t sample_count = 0;           // read from the store; each counts once for all steps
  int64_t left_out_count = 0;         // samples that rollup rows replaced
  double read_seconds = 0;
};

// The tree of the executed query with the cost of each node.
struct PlanNode {
  std::string kind;        // "vector selector", "aggregation", ...
  std::string text;        // the expression, on one line
  double seconds = 0;      // including children
  double own_seconds = 0;  // excluding children
  std::optional<SelectorCost> selector;
  std::vector<PlanNode> children;  // in text order
};

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
  std::shared_ptr<const Histogram> histogram;  // if set, `value` is unused
};
// In display order.
using VectorResult = std::vector<VectorElement>;

struct MatrixSeries {
  LabelSet labels;
  SampleColumns samples;
};
// Sorted by labels, without empty series.
using MatrixResult = std::vector<MatrixSeries>;

using QueryValue = std::variant<ScalarResult, StringResult, VectorResult, MatrixResult>;

// Texts with a "(line:column)" suffix, without duplicates, in order of appearance.
struct Annotations {
  std::vector<std::string> warnings;
  std::vector<std::string> infos;
};

struct QueryStats {
  double parse_seconds = 0;
  double eval_seconds = 0;
  int64_t total_samples = 0;              // samples looked at; see sample_counts.h
  std::vector<int64_t> samples_per_step;  // the same by step, if requested
  int64_t peak_samples = 0;               // held in memory at once
  uint64_t series_count = 0;
};

struct QueryResult {
  QueryValue value;
  Annotations annotations;
  QueryStats stats;
  std::optional<PlanNode> plan;  // if requested
};

}  // namespace lockstep::engine

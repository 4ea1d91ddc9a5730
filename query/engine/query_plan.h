// PlanNode: the tree of a query that ran, with what each node cost. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::engine {

// What a selector asked the store for, and got.
struct SelectorCost {
  std::vector<std::string> matchers;  // name="value"
  uint64_t series_count = 0;          // with samples in the range
  int64_t sample_count = 0;           // read from the store, each once however many steps use it
  int64_t left_out_count = 0;         // of others that rollup rows stood for
  double read_seconds = 0;
};

struct PlanNode {
  std::string kind;        // "vector selector", "aggregation", ...
  std::string text;        // the expression, on one line
  double seconds = 0;      // with the children
  double own_seconds = 0;  // without them
  std::optional<SelectorCost> selector;
  std::vector<PlanNode> children;  // in the order of the text
};

}  // namespace lockstep::engine

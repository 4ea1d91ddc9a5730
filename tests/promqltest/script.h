// Parses the scripts of PromQL acceptance tests.
// The scripts are in testdata/; README.md describes their language.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "query/notation/series_notation.h"

namespace lockstep::promqltest {

using notation::ParseSeriesLine;
using notation::ParseValue;
using notation::SeriesLine;
using notation::Slot;
using notation::SlotValue;

struct ClearCommand {};

struct LoadCommand {
  int64_t step_ms = 0;
  bool with_custom_buckets = false;  // also build native histograms from the classic ones
  std::vector<SeriesLine> series;
};

// What an error message or an annotation must be. If neither is set, anything.
struct TextPattern {
  std::optional<std::string> exact;
  std::optional<std::string> regex;
};

struct RangeVectorExpectation {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;
};

struct Expectations {
  bool fail = false;
  TextPattern failure;
  bool ordered = false;
  std::vector<TextPattern> warnings;
  std::vector<TextPattern> infos;
  bool no_warnings = false;
  bool no_infos = false;
  std::optional<std::string> string;
  std::optional<double> scalar;
  std::optional<RangeVectorExpectation> range_vector;
  std::vector<SeriesLine> series;
};

struct EvalCommand {
  int line = 0;  // counted from 1
  std::string query;
  bool is_range = false;
  int64_t start_ms = 0;  // the time of an instant query
  int64_t end_ms = 0;
  int64_t step_ms = 0;
  Expectations expected;
};

using Command = std::variant<ClearCommand, LoadCommand, EvalCommand>;

// Errors contain the line number.
absl::StatusOr<std::vector<Command>> ParseScript(std::string_view text);

}  // namespace lockstep::promqltest

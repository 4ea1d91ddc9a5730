// For tests of the engine: an engine over a store in memory, and its results as text.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text/float_format.h"
#include "query/engine/engine.h"
#include "tests/memory_storage.h"

namespace lockstep::engine {

inline constexpr int64_t kMinute = 60'000;

inline QueryBudget& Unlimited() {
  static QueryBudget budget(1'000'000'000, QueryBudget::Clock::time_point::max());
  return budget;
}

// name{labels} value, one string per element in result order.
inline std::vector<std::string> Lines(const VectorResult& vector) {
  std::vector<std::string> lines;
  for (const VectorElement& element : vector) {
    lines.push_back(element.labels.ToString() + " " + FormatSampleValue(element.value));
  }
  return lines;
}

// name{labels} value@seconds ...
inline std::vector<std::string> Lines(const MatrixResult& matrix) {
  std::vector<std::string> lines;
  for (const MatrixSeries& series : matrix) {
    std::string line = series.labels.ToString();
    for (size_t i = 0; i < series.samples.values.size(); ++i) {
      line += " " + FormatSampleValue(series.samples.values[i]) + "@" +
              std::to_string(series.samples.timestamps_ms[i] / 1000);
    }
    lines.push_back(line);
  }
  return lines;
}

class EngineFixture : public ::testing::Test {
 protected:
  // One sample per minute from time 0 on.
  void Load(std::initializer_list<LabelView> labels, const std::vector<double>& values) {
    const LabelSet set = LabelSet::Of(labels);
    int64_t time_ms = 0;
    for (const double value : values) {
      storage_.Append(set, time_ms, value);
      time_ms += kMinute;
    }
  }

  void LoadHistogram(std::initializer_list<LabelView> labels, const Histogram& histogram) {
    storage_.Append(LabelSet::Of(labels), 0, std::make_shared<const Histogram>(histogram));
  }

  absl::StatusOr<QueryResult> Instant(std::string_view text, int64_t time_ms = 0) {
    InstantQuery query;
    query.text = text;
    query.time_ms = time_ms;
    return engine_.Execute(query, Unlimited());
  }

  absl::StatusOr<QueryResult> Range(std::string_view text, int64_t start_ms, int64_t end_ms,
                                    int64_t step_ms = kMinute) {
    RangeQuery query;
    query.text = text;
    query.start_ms = start_ms;
    query.end_ms = end_ms;
    query.step_ms = step_ms;
    return engine_.Execute(query, Unlimited());
  }

  std::vector<std::string> InstantLines(std::string_view text, int64_t time_ms = 0) {
    const auto result = Instant(text, time_ms);
    if (!result.ok()) return {std::string(Message(result.status()))};
    return Lines(std::get<VectorResult>(result->value));
  }

  // Warnings, then infos.
  std::vector<std::string> Notes(std::string_view text, int64_t time_ms = 0) {
    const auto result = Instant(text, time_ms);
    if (!result.ok()) return {std::string(Message(result.status()))};
    std::vector<std::string> notes = result->annotations.warnings;
    notes.insert(notes.end(), result->annotations.infos.begin(), result->annotations.infos.end());
    return notes;
  }

  std::vector<std::string> RangeLines(std::string_view text, int64_t start_ms, int64_t end_ms) {
    const auto result = Range(text, start_ms, end_ms);
    if (!result.ok()) return {std::string(Message(result.status()))};
    return Lines(std::get<MatrixResult>(result->value));
  }

  MemoryStorage storage_;
  Engine engine_{storage_, EngineOptions{}};
};

}  // namespace lockstep::engine

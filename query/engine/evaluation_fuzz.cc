// Evaluates any query twice: over a range and at each single step. Both must agree, although one
// uses columns with sliding windows and the other a single moment, and neither may exceed its
// budget.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "query/engine/engine.h"
#include "tests/memory_storage.h"

namespace lockstep::engine {
namespace {

constexpr int64_t kScrapeMs = 15'000;
constexpr int64_t kStartMs = 600'000;
constexpr int64_t kStepMs = 50'000;
constexpr int kSteps = 5;
constexpr int64_t kEndMs = kStartMs + (kSteps - 1) * kStepMs;
constexpr int64_t kMaxSamples = 50'000;
// Callers limit the length of a query.
constexpr size_t kMaxQueryBytes = 512;

void AppendFleet(MemoryStorage& storage) {
  for (int rank = 0; rank < 4; ++rank) {
    const std::string text = std::to_string(rank);
    const auto append = [&storage, &text](std::string_view name, int64_t at_ms, double value) {
      storage.Append(
          LabelSet::Of({{"__name__", std::string(name)}, {"job", "fuzz"}, {"rank", text}}), at_ms,
          value);
    };
    for (int i = 0; i < 60; ++i) {
      const int64_t at_ms = i * kScrapeMs + rank * 700;
      // Gaps, resets, and values of both signs.
      if (i % 17 != 5 + rank) append("steps_total", at_ms, (i % 23) * (rank + 1));
      append("temperature_celsius", at_ms, std::sin(i * 0.7 + rank) * 40);
      if (i % 9 == 0) append("odd", at_ms, rank == 0 ? NAN : INFINITY);
      for (const char* bound : {"0.1", "1", "+Inf"}) {
        storage.Append(
            LabelSet::Of({{"__name__", "seconds_bucket"}, {"le", bound}, {"rank", text}}), at_ms,
            i * (bound[0] == '0' ? 1 : 2));
      }
    }
  }
  storage.Append(LabelSet::Of({{"__name__", "build_info"}, {"job", "fuzz"}, {"version", "7"}}),
                 kStartMs - 1000, 1);
}

struct World {
  World() { AppendFleet(storage); }

  MemoryStorage storage;
  Engine engine{storage, {.threads = 1}};
};

template <typename Query>
absl::StatusOr<QueryResult> Evaluate(const World& world, const Query& query) {
  QueryBudget budget(kMaxSamples, QueryBudget::Clock::now() + std::chrono::seconds(2));
  auto result = world.engine.Execute(query, budget);
  LOCKSTEP_CHECK(budget.peak_samples() <= kMaxSamples);
  return result;
}

using Values = std::map<std::string, double>;  // by labels as text

// Empty for results without floats.
std::optional<Values> ValuesOf(const QueryResult& result) {
  Values values;
  if (const auto* scalar = std::get_if<ScalarResult>(&result.value)) {
    values[LabelSet().ToString()] = scalar->value;
  } else if (const auto* vector = std::get_if<VectorResult>(&result.value)) {
    for (const VectorElement& element : *vector) {
      if (element.histogram != nullptr) return std::nullopt;
      LOCKSTEP_CHECK(values.emplace(element.labels.ToString(), element.value).second);
    }
  } else {
    return std::nullopt;
  }
  return values;
}

// Sliding windows add in a different order.
bool IsSame(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), 1.0});
}

void CheckStep(const MatrixResult& range, int64_t time_ms, const Values& expected) {
  size_t found = 0;
  for (const MatrixSeries& series : range) {
    const SampleColumns& samples = series.samples;
    for (size_t i = 0; i < samples.values.size(); ++i) {
      if (samples.timestamps_ms[i] != time_ms) continue;
      const auto value = expected.find(series.labels.ToString());
      LOCKSTEP_CHECK(value != expected.end());
      LOCKSTEP_CHECK(IsSame(value->second, samples.values[i]));
      ++found;
    }
  }
  LOCKSTEP_CHECK(found == expected.size());
}

// Whether the query means something else over a range, or may choose freely among equal elements.
bool IsOfTheRange(std::string_view text) {
  for (const char* word : {"start", "end", "range", "step", "limit", "topk", "bottomk"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

void Run(const World& world, std::string_view text) {
  const auto range = Evaluate(
      world, RangeQuery{.text = text, .start_ms = kStartMs, .end_ms = kEndMs, .step_ms = kStepMs});
  if (!range.ok() || IsOfTheRange(text)) return;
  const auto& matrix = std::get<MatrixResult>(range->value);
  for (const MatrixSeries& series : matrix) {
    if (!series.samples.histograms.empty()) return;
  }
  for (int step = 0; step < kSteps; ++step) {
    const int64_t time_ms = kStartMs + step * kStepMs;
    const auto instant = Evaluate(world, InstantQuery{.text = text, .time_ms = time_ms});
    // If the range query succeeded, a single step may fail only because of its deadline.
    LOCKSTEP_CHECK(instant.ok() || instant.status().code() == absl::StatusCode::kDeadlineExceeded);
    if (!instant.ok()) return;
    if (const auto expected = ValuesOf(*instant)) CheckStep(matrix, time_ms, *expected);
  }
}

}  // namespace
}  // namespace lockstep::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto& world = *new lockstep::engine::World();
  if (size > lockstep::engine::kMaxQueryBytes) return 0;
  lockstep::engine::Run(world, {reinterpret_cast<const char*>(data), size});
  return 0;
}

// Measures the arithmetic of range queries: functions of ranges over gauges and counters of usual
// shapes, with gaps, and aggregations of them. Reports CPU ns of the one querying thread per sample
// and per resulting point, reading from memory and making the result included; the last value of
// each range costs little else.
//
// Each result is first compared with one function call per window, or one sum per step: to the bit,
// except sums over ranges and series, whose order of addition is free.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/kernels/column_storage.h"
#include "query/engine/engine.h"
#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep {
namespace {

using engine::MatrixResult;
using engine::MatrixSeries;
using promql::FunctionId;

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kStartMs = 1'700'000'100'000;
constexpr int64_t kLookbackMs = 5 * kMinuteMs;

struct Options {
  size_t series_count = 48;
  int64_t shrink = 1;
  int repeats = 7;
  std::string only;
};

struct Shape {
  std::string name;
  int64_t scrape_ms = 0;
  int64_t range_ms = 0;
  int64_t step_ms = 0;
  int64_t length_ms = 0;
};

const Shape kShapes[] = {
    {"every 15 s, 5m at 15 s", 15 * kSecondMs, 5 * kMinuteMs, 15 * kSecondMs, 24 * kHourMs},
    {"every 15 s, 5m at 60 s", 15 * kSecondMs, 5 * kMinuteMs, 60 * kSecondMs, 24 * kHourMs},
    {"every 60 s, 1h at 1 h", 60 * kSecondMs, kHourMs, kHourMs, 30 * 24 * kHourMs},
};

struct RangeFunction {
  std::string name;
  FunctionId id;
  std::string parameter = {};
};

const RangeFunction kFunctions[] = {
    {"last_over_time", FunctionId::kLastOverTime},
    {"count_over_time", FunctionId::kCountOverTime},
    {"sum_over_time", FunctionId::kSumOverTime},
    {"avg_over_time", FunctionId::kAvgOverTime},
    {"min_over_time", FunctionId::kMinOverTime},
    {"max_over_time", FunctionId::kMaxOverTime},
    {"stddev_over_time", FunctionId::kStddevOverTime},
    {"stdvar_over_time", FunctionId::kStdvarOverTime},
    {"quantile_over_time", FunctionId::kQuantileOverTime, "0.9"},
    {"rate", FunctionId::kRate},
    {"increase", FunctionId::kIncrease},
    {"delta", FunctionId::kDelta},
    {"irate", FunctionId::kIrate},
    {"changes", FunctionId::kChanges},
    {"resets", FunctionId::kResets},
    {"deriv", FunctionId::kDeriv},
};

bool IsOfCounters(FunctionId id) {
  return id == FunctionId::kRate || id == FunctionId::kIncrease || id == FunctionId::kIrate ||
         id == FunctionId::kResets;
}

// Samples at a fixed offset; one in 300 is missing, and once ten minutes are.
template <typename Next>
SampleColumns Samples(const Shape& shape, std::mt19937_64& random, Next next) {
  SampleColumns samples;
  const int64_t end_ms = kStartMs + shape.length_ms;
  const int64_t gap_ms = kStartMs + static_cast<int64_t>(random() % uint64_t(shape.length_ms));
  int64_t time_ms = kStartMs + static_cast<int64_t>(random() % uint64_t(shape.scrape_ms));
  for (; time_ms <= end_ms; time_ms += shape.scrape_ms) {
    const double value = next();
    if (random() % 300 == 0) continue;
    if (time_ms >= gap_ms && time_ms < gap_ms + 10 * kMinuteMs) continue;
    samples.Append(time_ms, value);
  }
  return samples;
}

// Half of the series are gauges called g, half are counters called c_total.
ColumnStorage::Series MakeSeries(const Shape& shape, size_t count) {
  std::mt19937_64 random(7);
  ColumnStorage::Series series;
  for (size_t i = 0; i < count; ++i) {
    const std::string rank = absl::StrFormat("%03d", i);
    const std::string host = absl::StrFormat("%d", i / 8);
    int64_t centi = 40'000;
    series.emplace_back(LabelSet::Of({{"__name__", "g"}, {"host", host}, {"rank", rank}}),
                        Samples(shape, random, [&] {
                          centi += static_cast<int64_t>(random() % 2001) - 1000;
                          return static_cast<double>(centi) / 100;
                        }));
    int64_t total = 0;
    series.emplace_back(LabelSet::Of({{"__name__", "c_total"}, {"host", host}, {"rank", rank}}),
                        Samples(shape, random, [&] {
                          total = random() % 2000 == 0 ? 0 : total + int64_t(random() % 5000);
                          return static_cast<double>(total);
                        }));
  }
  std::ranges::sort(series, {}, [](const auto& one) { return one.first; });
  return series;
}

bool AreSame(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

bool AreClose(double a, double b) {
  return AreSame(a, b) || std::fabs(a - b) <= 1e-12 * std::max(std::fabs(a), std::fabs(b));
}

class Bench {
 public:
  Bench(const Shape& shape, const Options& options)
      : shape_(Shrunk(shape, options)),
        options_(options),
        storage_(MakeSeries(shape_, options.series_count)) {}

  absl::Status Run() {
    std::printf("\n%-44s %10s %10s\n", shape_.name.c_str(), "ns/sample", "ns/point");
    for (const RangeFunction& function : kFunctions) LOCKSTEP_RETURN_IF_ERROR(Measure(function));
    LOCKSTEP_RETURN_IF_ERROR(MeasureSteps("g", Fold::kNone));
    for (const char* by : {"", " by (host)"}) {
      for (const Fold fold : {Fold::kSum, Fold::kAvg, Fold::kMax, Fold::kStddev}) {
        const std::string text = absl::StrFormat("%s%s (g)", NameOf(fold), by);
        LOCKSTEP_RETURN_IF_ERROR(MeasureSteps(text, fold));
      }
    }
    return absl::OkStatus();
  }

 private:
  enum class Fold { kNone, kSum, kAvg, kMax, kStddev };

  static const char* NameOf(Fold fold) {
    switch (fold) {
      case Fold::kNone:
        return "";
      case Fold::kSum:
        return "sum";
      case Fold::kAvg:
        return "avg";
      case Fold::kMax:
        return "max";
      case Fold::kStddev:
        return "stddev";
    }
    return "";
  }

  static Shape Shrunk(Shape shape, const Options& options) {
    shape.length_ms /= options.shrink;
    return shape;
  }

  absl::StatusOr<MatrixResult> Ask(const std::string& text) const {
    QueryBudget budget(int64_t{1} << 32, QueryBudget::Clock::time_point::max());
    engine::RangeQuery query;
    query.text = text;
    query.start_ms = kStartMs;
    query.end_ms = kStartMs + shape_.length_ms;
    query.step_ms = shape_.step_ms;
    LOCKSTEP_ASSIGN_OR_RETURN(engine::QueryResult result, engine_.Execute(query, budget));
    return std::get<MatrixResult>(std::move(result.value));
  }

  absl::Status Measure(const RangeFunction& function) const {
    if (!options_.only.empty() && function.name.find(options_.only) == std::string::npos) {
      return absl::OkStatus();
    }
    const char* metric = IsOfCounters(function.id) ? "c_total" : "g";
    const std::string text =
        absl::StrFormat("%s(%s%s%s[%ds])", function.name, function.parameter,
                        function.parameter.empty() ? "" : ", ", metric, shape_.range_ms / 1000);
    LOCKSTEP_ASSIGN_OR_RETURN(const MatrixResult result, Ask(text));
    size_t i = 0;
    size_t sample_count = 0;
    for (const auto& [labels, samples] : storage_.series()) {
      if (labels.metric_name() != metric) continue;
      if (i == result.size()) return absl::InternalError("series are missing: " + text);
      LOCKSTEP_RETURN_IF_ERROR(CheckWindows(function, samples, result[i++]));
      sample_count += samples.size();
    }
    return Time(text, sample_count, PointsOf(result));
  }

  absl::Status CheckWindows(const RangeFunction& function, const SampleColumns& samples,
                            const MatrixSeries& got) const {
    const bool is_sum =
        function.id == FunctionId::kSumOverTime || function.id == FunctionId::kAvgOverTime;
    const std::vector<double> parameters(function.parameter.empty() ? 0 : 1, 0.9);
    engine::AnnotationSink sink;
    size_t next = 0;
    for (int64_t end_ms = kStartMs; end_ms <= kStartMs + shape_.length_ms;
         end_ms += shape_.step_ms) {
      const engine::Window window = WindowAt(samples, end_ms);
      if (window.empty()) continue;
      const engine::WindowResult expected =
          engine::FindWindowFunction(function.id)(window, {parameters, end_ms, &sink});
      if (expected.kind != engine::WindowResult::Kind::kFloat) continue;
      const bool is_right = next < got.samples.values.size() &&
                            got.samples.timestamps_ms[next] == end_ms &&
                            (is_sum ? AreClose(expected.value, got.samples.values[next])
                                    : AreSame(expected.value, got.samples.values[next]));
      if (!is_right) {
        return absl::InternalError(absl::StrFormat("%s at %d: not %.17g, or missing", function.name,
                                                   end_ms, expected.value));
      }
      ++next;
    }
    if (next == got.samples.values.size()) return absl::OkStatus();
    return absl::InternalError(function.name + " returned a point too many");
  }

  engine::Window WindowAt(const SampleColumns& samples, int64_t end_ms) const {
    const auto& times = samples.timestamps_ms;
    const auto first = std::ranges::upper_bound(times, end_ms - shape_.range_ms) - times.begin();
    const auto end = std::ranges::upper_bound(times, end_ms) - times.begin();
    engine::Window window;
    window.timestamps_ms = std::span(times).subspan(size_t(first), size_t(end - first));
    window.values = std::span(samples.values).subspan(size_t(first), size_t(end - first));
    window.range_start_ms = end_ms - shape_.range_ms;
    window.range_end_ms = end_ms;
    return window;
  }

  absl::Status MeasureSteps(const std::string& text, Fold fold) const {
    if (!options_.only.empty() && text.find(options_.only) == std::string::npos) {
      return absl::OkStatus();
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const MatrixResult result, Ask(text));
    LOCKSTEP_ASSIGN_OR_RETURN(const MatrixResult folded, Ask("g"));
    if (fold != Fold::kNone) {
      for (const MatrixSeries& group : result) {
        LOCKSTEP_RETURN_IF_ERROR(CheckGroup(fold, folded, group));
      }
    }
    return Time(text, PointsOf(folded), PointsOf(folded));
  }

  static absl::Status CheckGroup(Fold fold, const MatrixResult& all, const MatrixSeries& group) {
    std::vector<size_t> next(all.size());
    for (size_t i = 0; i < group.samples.values.size(); ++i) {
      std::vector<double> values;
      for (size_t series = 0; series < all.size(); ++series) {
        const SampleColumns& samples = all[series].samples;
        const bool is_member = group.labels.Get("host").empty() ||
                               group.labels.Get("host") == all[series].labels.Get("host");
        if (!is_member || next[series] == samples.timestamps_ms.size() ||
            samples.timestamps_ms[next[series]] != group.samples.timestamps_ms[i]) {
          continue;
        }
        values.push_back(samples.values[next[series]++]);
      }
      if (values.empty() || !AreClose(PlainFold(fold, values), group.samples.values[i])) {
        return absl::InternalError(absl::StrFormat("%s of %d values is not %.17g", NameOf(fold),
                                                   values.size(), group.samples.values[i]));
      }
    }
    return absl::OkStatus();
  }

  static double PlainFold(Fold fold, const std::vector<double>& values) {
    if (fold == Fold::kMax) return *std::ranges::max_element(values);
    long double sum = 0;
    for (const double value : values) sum += value;
    if (fold == Fold::kSum) return static_cast<double>(sum);
    const long double mean = sum / static_cast<long double>(values.size());
    if (fold == Fold::kAvg) return static_cast<double>(mean);
    long double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size())));
  }

  static size_t PointsOf(const MatrixResult& result) {
    size_t count = 0;
    for (const MatrixSeries& series : result) count += series.samples.size();
    return count;
  }

  absl::Status Time(const std::string& text, size_t sample_count, size_t point_count) const {
    double least = 1e9;
    for (int i = 0; i < options_.repeats; ++i) {
      const double start = ThreadCpuSeconds();
      LOCKSTEP_RETURN_IF_ERROR(Ask(text).status());
      least = std::min(least, ThreadCpuSeconds() - start);
    }
    std::printf("%-44s %10.2f %10.2f\n", text.c_str(),
                least * 1e9 / static_cast<double>(sample_count),
                least * 1e9 / static_cast<double>(point_count));
    return absl::OkStatus();
  }

  const Shape shape_;
  const Options& options_;
  const ColumnStorage storage_;
  const engine::Engine engine_{storage_, {.lookback_ms = kLookbackMs, .threads = 1}};
};

absl::Status RunAll(const Options& options) {
  for (const Shape& shape : kShapes) LOCKSTEP_RETURN_IF_ERROR(Bench(shape, options).Run());
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Evaluates functions of ranges and aggregations over series in memory.");
  app.add_option("--series", options.series_count, "gauges, and counters")
      ->check(CLI::Range(1, 1000));
  app.add_option("--shrink", options.shrink, "divide the length of all series by this")
      ->check(CLI::PositiveNumber);
  app.add_option("--repeats", options.repeats, "runs of each query; the fastest counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--only", options.only, "only queries that contain this");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::RunAll(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

#include "tests/promqltest/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/regex/regex.h"

namespace lockstep::promqltest {
namespace {

using engine::MatrixResult;
using engine::MatrixSeries;
using engine::QueryResult;
using engine::ScalarResult;
using engine::StringResult;
using engine::VectorElement;
using engine::VectorResult;

bool Matches(const TextPattern& pattern, std::string_view text) {
  if (pattern.exact) return *pattern.exact == text;
  if (pattern.regex) {
    const absl::StatusOr<Regex> regex = Regex::Compile(*pattern.regex);
    return regex.ok() && regex->PartialMatch(text);
  }
  return true;
}

std::string Describe(const TextPattern& pattern) {
  return pattern.exact ? *pattern.exact : pattern.regex ? "/" + *pattern.regex + "/" : "any";
}

// ---- annotations

std::string CompareAnnotations(std::string_view kind, const std::vector<TextPattern>& expected,
                               bool none_expected, const std::vector<std::string>& texts) {
  if (none_expected && !texts.empty()) {
    return absl::StrFormat("unexpected %s: %s", kind, texts.front());
  }
  if (expected.empty()) return {};
  for (const TextPattern& pattern : expected) {
    if (std::none_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return Matches(pattern, text); })) {
      return absl::StrFormat("no %s like %s%s", kind, Describe(pattern),
                             texts.empty() ? "" : ", only " + texts.front());
    }
  }
  for (const std::string& text : texts) {
    if (std::none_of(expected.begin(), expected.end(),
                     [&](const TextPattern& pattern) { return Matches(pattern, text); })) {
      return absl::StrFormat("unexpected %s: %s", kind, text);
    }
  }
  return {};
}

// ---- samples

using Buckets = std::map<int32_t, double>;

// The non-empty buckets by index, which do not depend on how spans are divided.
Buckets Populated(const std::vector<BucketSpan>& spans, const std::vector<double>& counts) {
  Buckets buckets;
  int32_t index = 0;
  size_t next = 0;
  for (const BucketSpan& span : spans) {
    index += span.offset;
    for (uint32_t i = 0; i < span.length; ++i, ++index, ++next) {
      if (counts[next] != 0) buckets[index] = counts[next];
    }
  }
  return buckets;
}

bool BucketsAgree(const Buckets& a, const Buckets& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && NumbersAgree(x.second, y.second);
  });
}

bool HistogramsAgree(const Histogram& a, const Histogram& b, bool compare_hints) {
  return a.schema == b.schema && a.zero_threshold == b.zero_threshold &&
         a.custom_values == b.custom_values && NumbersAgree(a.count, b.count) &&
         NumbersAgree(a.sum, b.sum) && NumbersAgree(a.zero_count, b.zero_count) &&
         BucketsAgree(Populated(a.positive_spans, a.positive_counts),
                      Populated(b.positive_spans, b.positive_counts)) &&
         BucketsAgree(Populated(a.negative_spans, a.negative_counts),
                      Populated(b.negative_spans, b.negative_counts)) &&
         (!compare_hints || a.reset_hint == b.reset_hint);
}

std::string Show(const Buckets& buckets) {
  std::string out;
  for (const auto& [index, count] : buckets) out += absl::StrFormat(" %d=%g", index, count);
  return out;
}

std::string Show(double value, const Histogram* histogram) {
  if (histogram == nullptr) return absl::StrFormat("%.10g", value);
  const Histogram& h = *histogram;
  std::string bounds;
  for (const double bound : h.custom_values) bounds += absl::StrFormat(" %g", bound);
  return absl::StrFormat(
      "{schema %d, count %g, sum %g, zero %g/%g, pos%s, neg%s, bounds%s, hint %d}", h.schema,
      h.count, h.sum, h.zero_count, h.zero_threshold,
      Show(Populated(h.positive_spans, h.positive_counts)),
      Show(Populated(h.negative_spans, h.negative_counts)), bounds, static_cast<int>(h.reset_hint));
}

// The samples of one series by time, in the type that expectations use.
using TimedValues = std::map<int64_t, SlotValue>;

TimedValues Timed(const SampleColumns& samples) {
  TimedValues values;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    values[samples.timestamps_ms[i]] = {samples.values[i], nullptr, false};
  }
  for (const HistogramSample& sample : samples.histograms) {
    values[sample.timestamp_ms] = {0, sample.histogram, false};
  }
  return values;
}

TimedValues Timed(const SeriesLine& series, int64_t start_ms, int64_t step_ms) {
  TimedValues values;
  for (size_t i = 0; i < series.slots.size(); ++i) {
    if (series.slots[i]) values[start_ms + static_cast<int64_t>(i) * step_ms] = *series.slots[i];
  }
  return values;
}

bool Agree(const SlotValue& expected, const SlotValue& got) {
  if ((expected.histogram == nullptr) != (got.histogram == nullptr)) return false;
  if (expected.histogram == nullptr) return NumbersAgree(expected.value, got.value);
  return HistogramsAgree(*expected.histogram, *got.histogram, expected.names_hint);
}

std::string CompareValues(const TimedValues& expected, const TimedValues& got) {
  for (const auto& [t, value] : expected) {
    const auto found = got.find(t);
    if (found == got.end()) return absl::StrFormat("no sample at %dms", t);
    if (!Agree(value, found->second)) {
      return absl::StrFormat("at %dms expected %s, got %s", t,
                             Show(value.value, value.histogram.get()),
                             Show(found->second.value, found->second.histogram.get()));
    }
  }
  for (const auto& [t, value] : got) {
    if (expected.count(t) == 0) {
      return absl::StrFormat("unexpected sample at %dms: %s", t,
                             Show(value.value, value.histogram.get()));
    }
  }
  return {};
}

// ---- sets of series

struct TimedSeries {
  LabelSet labels;
  TimedValues values;
};

std::string CompareSeries(std::span<const TimedSeries> expected, std::span<const TimedSeries> got) {
  for (const TimedSeries& want : expected) {
    const auto found = std::find_if(got.begin(), got.end(), [&want](const TimedSeries& series) {
      return series.labels == want.labels;
    });
    if (found == got.end()) return absl::StrFormat("no series %s", want.labels.ToString());
    const std::string difference = CompareValues(want.values, found->values);
    if (!difference.empty()) {
      return absl::StrFormat("%s: %s", want.labels.ToString(), difference);
    }
  }
  for (size_t i = 0; i < got.size(); ++i) {
    const auto same = [&](const TimedSeries& s) { return s.labels == got[i].labels; };
    if (std::none_of(expected.begin(), expected.end(), same)) {
      return absl::StrFormat("unexpected series %s", got[i].labels.ToString());
    }
    if (std::any_of(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      return absl::StrFormat("series %s is there twice", got[i].labels.ToString());
    }
  }
  return {};
}

std::vector<TimedSeries> Expected(const Expectations& expected, int64_t start_ms, int64_t step_ms) {
  std::vector<TimedSeries> series;
  for (const SeriesLine& line : expected.series) {
    TimedValues values = Timed(line, start_ms, step_ms);
    // A line with only empty slots expects no series.
    if (!values.empty()) series.push_back({line.labels, std::move(values)});
  }
  return series;
}

std::string CompareMatrix(const Expectations& expected, int64_t start_ms, int64_t step_ms,
                          const MatrixResult& matrix) {
  std::vector<TimedSeries> got;
  for (const MatrixSeries& series : matrix) got.push_back({series.labels, Timed(series.samples)});
  if (!std::is_sorted(got.begin(), got.end(), [](const TimedSeries& a, const TimedSeries& b) {
        return a.labels < b.labels;
      })) {
    return "the matrix is not sorted by labels";
  }
  return CompareSeries(Expected(expected, start_ms, step_ms), got);
}

std::string CompareVector(const EvalCommand& eval, const VectorResult& vector) {
  std::vector<TimedSeries> got;
  for (const VectorElement& element : vector) {
    got.push_back(
        {element.labels, {{element.timestamp_ms, {element.value, element.histogram, false}}}});
  }
  const std::vector<TimedSeries> expected = Expected(eval.expected, eval.start_ms, 0);
  std::string difference = CompareSeries(expected, got);
  if (!difference.empty() || !eval.expected.ordered) return difference;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].labels != got[i].labels) {
      return absl::StrFormat("element %d should be %s, is %s", i, expected[i].labels.ToString(),
                             got[i].labels.ToString());
    }
  }
  return {};
}

std::string CompareScalar(const EvalCommand& eval, const ScalarResult& scalar) {
  if (!eval.expected.scalar) return absl::StrFormat("unexpected scalar %g", scalar.value);
  if (scalar.timestamp_ms != eval.start_ms) return "the scalar has the wrong time";
  if (NumbersAgree(*eval.expected.scalar, scalar.value)) return {};
  return absl::StrFormat("expected %.10g, got %.10g", *eval.expected.scalar, scalar.value);
}

std::string CompareValue(const EvalCommand& eval, const engine::QueryValue& value) {
  const Expectations& expected = eval.expected;
  if (const auto* scalar = std::get_if<ScalarResult>(&value)) return CompareScalar(eval, *scalar);
  if (expected.scalar) return "the result is no scalar";
  if (const auto* string = std::get_if<StringResult>(&value)) {
    if (expected.string && *expected.string == string->value) return {};
    return absl::StrFormat("unexpected string \"%s\"", string->value);
  }
  if (expected.string) return "the result is no string";
  if (const auto* vector = std::get_if<VectorResult>(&value)) return CompareVector(eval, *vector);
  const auto& matrix = std::get<MatrixResult>(value);
  if (expected.range_vector) {
    return CompareMatrix(expected, expected.range_vector->start_ms, expected.range_vector->step_ms,
                         matrix);
  }
  return CompareMatrix(expected, eval.start_ms, eval.step_ms, matrix);
}

std::string CompareFailure(const TextPattern& pattern, const absl::Status& status) {
  if (status.ok()) return "the query should fail";
  if (Matches(pattern, Message(status))) return {};
  return absl::StrFormat("failed with \"%s\", expected %s", Message(status), Describe(pattern));
}

}  // namespace

bool NumbersAgree(double a, double b) {
  constexpr double kTolerance = 1e-6;
  constexpr double kSmallestNormal = std::numeric_limits<double>::min();
  if (IsStaleNan(a) || IsStaleNan(b)) return IsStaleNan(a) && IsStaleNan(b);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  const double sum = std::abs(a) + std::abs(b);
  const double difference = std::abs(a - b);
  if (a == 0 || b == 0 || sum < kSmallestNormal) return difference < kTolerance * kSmallestNormal;
  return difference / std::min(sum, std::numeric_limits<double>::max()) < kTolerance;
}

std::string Compare(const EvalCommand& eval, const absl::StatusOr<QueryResult>& answer) {
  const Expectations& expected = eval.expected;
  if (expected.fail) return CompareFailure(expected.failure, answer.status());
  if (!answer.ok()) return absl::StrFormat("failed: %s", Message(answer.status()));
  const engine::Annotations& notes = answer->annotations;
  std::string difference =
      CompareAnnotations("warning", expected.warnings, expected.no_warnings, notes.warnings);
  if (difference.empty()) {
    difference = CompareAnnotations("info", expected.infos, expected.no_infos, notes.infos);
  }
  return difference.empty() ? CompareValue(eval, answer->value) : difference;
}

}  // namespace lockstep::promqltest

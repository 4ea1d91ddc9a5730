#include "query/notation/histogram_notation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "query/notation/series_notation.h"

namespace lockstep::notation {
namespace {

absl::Status Malformed(std::string_view what, std::string_view text) {
  return absl::InvalidArgumentError(absl::StrFormat("%s: '%s'", what, text));
}

absl::StatusOr<double> Number(std::string_view text) {
  const std::optional<double> value = ParseValue(text);
  if (!value) return Malformed("invalid number in a histogram", text);
  return *value;
}

absl::StatusOr<std::vector<double>> NumberList(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    return Malformed("invalid list in a histogram", text);
  }
  text = text.substr(1, text.size() - 2);
  std::vector<double> numbers;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      LOCKSTEP_ASSIGN_OR_RETURN(const double number, Number(text.substr(0, end)));
      numbers.push_back(number);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

std::optional<CounterResetHint> Hint(std::string_view text) {
  if (text == "unknown") return CounterResetHint::kUnknown;
  if (text == "reset") return CounterResetHint::kReset;
  if (text == "not_reset") return CounterResetHint::kNotReset;
  if (text == "gauge") return CounterResetHint::kGauge;
  return std::nullopt;
}

// Takes the next `key:value` off `rest`; a list in brackets may contain spaces.
std::string_view TakeField(std::string_view& rest) {
  size_t end = 0;
  bool in_list = false;
  while (end < rest.size() && (in_list || rest[end] != ' ')) {
    if (rest[end] == '[') in_list = true;
    if (rest[end] == ']') in_list = false;
    ++end;
  }
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end);
  return field;
}

struct Offsets {
  int32_t positive = 0;
  int32_t negative = 0;
};

absl::Status SetField(std::string_view key, std::string_view value, NotedHistogram& noted,
                      Offsets& offsets) {
  Histogram& histogram = noted.histogram;
  if (key == "counter_reset_hint") {
    const std::optional<CounterResetHint> hint = Hint(value);
    if (!hint) return Malformed("invalid counter reset hint", value);
    histogram.reset_hint = *hint;
    noted.names_hint = true;
    return absl::OkStatus();
  }
  if (key == "buckets" || key == "n_buckets" || key == "custom_values") {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<double> numbers, NumberList(value));
    (key == "buckets"     ? histogram.positive_counts
     : key == "n_buckets" ? histogram.negative_counts
                          : histogram.custom_values) = std::move(numbers);
    return absl::OkStatus();
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const double number, Number(value));
  if (key == "schema") {
    histogram.schema = static_cast<int32_t>(number);
  } else if (key == "sum") {
    histogram.sum = number;
  } else if (key == "count") {
    histogram.count = number;
  } else if (key == "z_bucket") {
    histogram.zero_count = number;
  } else if (key == "z_bucket_w") {
    histogram.zero_threshold = number;
  } else if (key == "offset") {
    offsets.positive = static_cast<int32_t>(number);
  } else if (key == "n_offset") {
    offsets.negative = static_cast<int32_t>(number);
  } else {
    return Malformed("unknown field of a histogram", key);
  }
  return absl::OkStatus();
}

void SetSpan(int32_t offset, const std::vector<double>& counts, std::vector<BucketSpan>& spans) {
  if (!counts.empty()) spans = {{offset, static_cast<uint32_t>(counts.size())}};
}

using CountsByIndex = std::map<int32_t, double>;

void AddBuckets(const std::vector<BucketSpan>& spans, const std::vector<double>& counts,
                double factor, int32_t schema_shift, CountsByIndex& into) {
  int32_t index = 0;
  size_t next = 0;
  for (const BucketSpan& span : spans) {
    index += span.offset;
    for (uint32_t i = 0; i < span.length; ++i, ++index) {
      // Each step to a coarser schema merges two buckets: 1 and 2 become 1, 3 and 4 become 2.
      into[((index - 1) >> schema_shift) + 1] += factor * counts[next++];
    }
  }
}

void SetBuckets(const CountsByIndex& buckets, std::vector<BucketSpan>& spans,
                std::vector<double>& counts) {
  spans.clear();
  counts.clear();
  int32_t next_index = 0;
  for (const auto& [index, count] : buckets) {
    if (spans.empty() || index != next_index) spans.push_back({index - next_index, 0});
    ++spans.back().length;
    counts.push_back(count);
    next_index = index + 1;
  }
}

CounterResetHint CombinedHint(CounterResetHint a, CounterResetHint b) {
  if (a == b) return a;
  const bool gauge = a == CounterResetHint::kGauge || b == CounterResetHint::kGauge;
  return gauge ? CounterResetHint::kGauge : CounterResetHint::kUnknown;
}

}  // namespace

absl::StatusOr<NotedHistogram> ParseHistogram(std::string_view text) {
  if (text.size() < 4 || text.substr(0, 2) != "{{" || text.substr(text.size() - 2) != "}}") {
    return Malformed("invalid histogram", text);
  }
  std::string_view rest = text.substr(2, text.size() - 4);
  NotedHistogram noted;
  Offsets offsets;
  while (!rest.empty()) {
    if (rest.front() == ' ') {
      rest.remove_prefix(1);
      continue;
    }
    const std::string_view field = TakeField(rest);
    const size_t colon = field.find(':');
    if (colon == field.npos) return Malformed("invalid field of a histogram", field);
    LOCKSTEP_RETURN_IF_ERROR(
        SetField(field.substr(0, colon), field.substr(colon + 1), noted, offsets));
  }
  Histogram& histogram = noted.histogram;
  SetSpan(offsets.positive, histogram.positive_counts, histogram.positive_spans);
  SetSpan(offsets.negative, histogram.negative_counts, histogram.negative_spans);
  return noted;
}

absl::StatusOr<Histogram> AddScaled(const Histogram& base, double factor,
                                    const Histogram& increment) {
  const int32_t shift = base.uses_custom_buckets() ? 0 : increment.schema - base.schema;
  if (base.uses_custom_buckets() != increment.uses_custom_buckets() || shift < 0 ||
      base.zero_threshold != increment.zero_threshold ||
      base.custom_values != increment.custom_values) {
    return absl::InvalidArgumentError("these histograms cannot be added in a series");
  }
  Histogram sum = base;
  sum.reset_hint = CombinedHint(base.reset_hint, increment.reset_hint);
  sum.count += factor * increment.count;
  sum.sum += factor * increment.sum;
  sum.zero_count += factor * increment.zero_count;
  CountsByIndex positive, negative;
  AddBuckets(base.positive_spans, base.positive_counts, 1, 0, positive);
  AddBuckets(increment.positive_spans, increment.positive_counts, factor, shift, positive);
  AddBuckets(base.negative_spans, base.negative_counts, 1, 0, negative);
  AddBuckets(increment.negative_spans, increment.negative_counts, factor, shift, negative);
  SetBuckets(positive, sum.positive_spans, sum.positive_counts);
  SetBuckets(negative, sum.negative_spans, sum.negative_counts);
  return sum;
}

}  // namespace lockstep::notation

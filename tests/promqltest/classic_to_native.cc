#include "tests/promqltest/classic_to_native.h"

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "query/notation/series_notation.h"

namespace lockstep::promqltest {
namespace {

// One classic histogram at one time.
struct ClassicHistogram {
  std::map<double, double> cumulative;  // by upper bound
  std::optional<double> count;
  double sum = 0;
};

using ClassicSeries = std::map<int64_t, ClassicHistogram>;

Histogram ToNative(const ClassicHistogram& classic) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Histogram native;
  native.schema = kCustomBucketsSchema;
  native.sum = classic.sum;
  std::map<double, double> cumulative = classic.cumulative;
  const double highest = cumulative.empty() ? 0 : cumulative.rbegin()->second;
  native.count = classic.count.value_or(highest);
  cumulative.emplace(kInf, native.count);
  double below = 0;
  for (const auto& [bound, count] : cumulative) {
    if (bound != kInf) native.custom_values.push_back(bound);
    native.positive_counts.push_back(count - below);
    below = count;
  }
  native.positive_spans = {{0, static_cast<uint32_t>(native.positive_counts.size())}};
  return native;
}

bool TakeSuffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

class Collector {
 public:
  void Add(const SeriesWrite& series) {
    std::string_view name = series.labels.metric_name();
    if (TakeSuffix(name, "_bucket")) {
      const std::optional<double> bound = notation::ParseValue(series.labels.Get("le"));
      if (!bound || std::isnan(*bound)) return;
      ClassicSeries& classic = Find(series.labels, name);
      for (const Sample& s : series.samples) {
        classic[s.timestamp_ms].cumulative.emplace(*bound, s.value);
      }
    } else if (TakeSuffix(name, "_count")) {
      ClassicSeries& classic = Find(series.labels, name);
      for (const Sample& s : series.samples) classic[s.timestamp_ms].count = s.value;
    } else if (TakeSuffix(name, "_sum")) {
      ClassicSeries& classic = Find(series.labels, name);
      for (const Sample& s : series.samples) classic[s.timestamp_ms].sum = s.value;
    }
  }

  std::vector<SeriesWrite> Native() const {
    std::vector<SeriesWrite> writes;
    for (const auto& [labels, classic] : found_) {
      SeriesWrite write;
      write.labels = labels;
      for (const auto& [t, histogram] : classic) {
        write.histograms.push_back({t, std::make_shared<const Histogram>(ToNative(histogram))});
      }
      writes.push_back(std::move(write));
    }
    return writes;
  }

 private:
  ClassicSeries& Find(const LabelSet& labels, std::string_view name) {
    return found_[LabelSetBuilder(labels).Set(kMetricName, name).Delete("le").Build()];
  }

  std::map<LabelSet, ClassicSeries> found_;
};

}  // namespace

std::vector<SeriesWrite> ClassicToNative(std::span<const SeriesWrite> series) {
  Collector collector;
  for (const SeriesWrite& write : series) collector.Add(write);
  return collector.Native();
}

}  // namespace lockstep::promqltest

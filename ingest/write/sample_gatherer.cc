#include "ingest/write/sample_gatherer.h"

#include "absl/strings/str_format.h"
#include "ingest/write/label_check.h"

namespace lockstep {
namespace {

// A growing vector may have twice the capacity that it needs.
constexpr uint64_t kSampleBytes = 2 * sizeof(Sample);

}  // namespace

std::optional<size_t> SampleGatherer::Add(std::vector<LabelView>& labels,
                                          std::span<const Sample> samples, std::string_view place) {
  if (samples.empty()) return std::nullopt;
  out_.sample_count += samples.size();
  const std::optional<size_t> index = Open(labels, samples.size(), place);
  if (!index.has_value() || !out_.memory.Add(kSampleBytes * samples.size())) return std::nullopt;
  std::vector<Sample>& of_series = out_.request.series[*index].samples;
  of_series.insert(of_series.end(), samples.begin(), samples.end());
  return index;
}

void SampleGatherer::AddTo(size_t series_index, const Sample& sample) {
  ++out_.sample_count;
  if (!status().ok() || !out_.memory.Add(kSampleBytes)) return;
  out_.request.series[series_index].samples.push_back(sample);
}

void SampleGatherer::Add(std::vector<LabelView>& labels, HistogramSample histogram,
                         std::string_view place) {
  ++out_.histogram_count;
  const std::optional<size_t> index = Open(labels, 1, place);
  if (!index.has_value()) return;
  const uint64_t bytes = 2 * sizeof(HistogramSample) + histogram.histogram->byte_count();
  if (!out_.memory.Add(bytes)) return;
  out_.request.series[*index].histograms.push_back(std::move(histogram));
}

bool SampleGatherer::ChargeLine(size_t line_bytes) {
  constexpr uint64_t kExpansion = 16;
  if (line_bytes <= longest_line_bytes_) return true;
  const uint64_t more = kExpansion * (line_bytes - longest_line_bytes_);
  longest_line_bytes_ = line_bytes;
  return out_.memory.Add(more);
}

std::optional<size_t> SampleGatherer::Open(std::vector<LabelView>& labels, size_t sample_count,
                                           std::string_view place) {
  if (!status().ok()) return std::nullopt;
  SortLabels(labels);
  if (const auto bad = CheckLabels(labels, limits_)) {
    out_.refusals.AddAt(place, bad->reason, sample_count, bad->why);
    return std::nullopt;
  }
  std::erase_if(labels, [](const LabelView& label) { return label.value.empty(); });
  LabelSet set = LabelSet::OfSorted(labels);
  std::vector<SeriesWrite>& all = out_.request.series;
  const auto [at, is_new] = series_.try_emplace(SeriesKeyOf(set), all.size());
  if (!is_new) return at->second;
  ++out_.series_count;
  if (!status().ok() || !out_.memory.AddLabels(set.bytes().size())) return std::nullopt;
  all.push_back({std::move(set), {}, {}});
  return at->second;
}

absl::Status SampleGatherer::status() const {
  if (out_.series_count <= limits_.max_series_per_request) return out_.memory.status();
  return absl::OutOfRangeError(absl::StrFormat("the request has more series than the limit of %d",
                                               limits_.max_series_per_request));
}

}  // namespace lockstep

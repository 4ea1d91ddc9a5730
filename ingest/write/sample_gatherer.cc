#include "ingest/write/sample_gatherer.h"

#include "absl/strings/str_format.h"
#include "ingest/write/label_check.h"

namespace lockstep {
namespace {

// A growing vector may have twice the capacity that it needs.
constexpr uint64_t kSampleBytes = 2 * sizeof(Sample);

}  // namespace

void SampleGatherer::Add(std::vector<LabelView>& labels, std::span<const Sample> samples,
                         std::string_view place) {
  if (samples.empty()) return;
  out_.sample_count += samples.size();
  SeriesWrite* const series = Open(labels, samples.size(), place);
  if (series == nullptr || !out_.memory.Add(kSampleBytes * samples.size())) return;
  series->samples.insert(series->samples.end(), samples.begin(), samples.end());
}

void SampleGatherer::Add(std::vector<LabelView>& labels, HistogramSample histogram,
                         std::string_view place) {
  ++out_.histogram_count;
  SeriesWrite* const series = Open(labels, 1, place);
  if (series == nullptr) return;
  const uint64_t bytes = 2 * sizeof(HistogramSample) + histogram.histogram->byte_count();
  if (out_.memory.Add(bytes)) series->histograms.push_back(std::move(histogram));
}

bool SampleGatherer::ChargeLine(size_t line_bytes) {
  constexpr uint64_t kExpansion = 16;
  if (line_bytes <= longest_line_bytes_) return true;
  const uint64_t more = kExpansion * (line_bytes - longest_line_bytes_);
  longest_line_bytes_ = line_bytes;
  return out_.memory.Add(more);
}

SeriesWrite* SampleGatherer::Open(std::vector<LabelView>& labels, size_t sample_count,
                                  std::string_view place) {
  if (!status().ok()) return nullptr;
  SortLabels(labels);
  if (const auto bad = CheckLabels(labels, limits_)) {
    out_.refusals.AddAt(place, bad->reason, sample_count, bad->why);
    return nullptr;
  }
  std::erase_if(labels, [](const LabelView& label) { return label.value.empty(); });
  LabelSet set = LabelSet::OfSorted(labels);
  std::vector<SeriesWrite>& all = out_.request.series;
  const auto [at, is_new] = series_.try_emplace(SeriesKeyOf(set), all.size());
  if (!is_new) return &all[at->second];
  ++out_.series_count;
  if (!status().ok() || !out_.memory.AddLabels(set.bytes().size())) return nullptr;
  all.push_back({std::move(set), {}, {}});
  return &all.back();
}

absl::Status SampleGatherer::status() const {
  if (out_.series_count <= limits_.max_series_per_request) return out_.memory.status();
  return absl::OutOfRangeError(absl::StrFormat("the request has more series than the limit of %d",
                                               limits_.max_series_per_request));
}

}  // namespace lockstep

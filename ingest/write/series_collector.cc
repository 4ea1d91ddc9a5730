#include "ingest/write/series_collector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/histogram/histogram_message.h"
#include "ingest/write/label_check.h"

namespace lockstep {

namespace {

uint64_t SizeOf(std::span<const LabelView> labels) {
  uint64_t bytes = 0;
  for (const LabelView& label : labels) bytes += label.name.size() + label.value.size();
  return bytes;
}

// The memory besides the labels.
uint64_t BytesOf(const SeriesWrite& series, std::span<const std::string_view> histograms,
                 std::span<const Exemplar> exemplars) {
  // A one-byte bucket becomes an eight-byte number.
  constexpr uint64_t kBucketExpansion = 16;
  uint64_t bytes = series.samples.size() * (sizeof(Sample) + sizeof(int64_t));
  const uint64_t histogram_count = histograms.size() + series.histograms.size();
  bytes += histogram_count * (sizeof(HistogramSample) + sizeof(Histogram));
  for (const std::string_view message : histograms) bytes += kBucketExpansion * message.size();
  bytes += exemplars.size() * sizeof(Exemplar);
  for (const Exemplar& exemplar : exemplars) bytes += exemplar.labels.bytes().size();
  return bytes;
}

}  // namespace

size_t SeriesCollector::AdmitExemplars(size_t count) {
  out_.exemplar_count += count;
  const size_t room = limits_.max_exemplars_per_request - admitted_exemplar_count_;
  const size_t admitted = std::min(room, count);
  admitted_exemplar_count_ += admitted;
  return admitted;
}

void SeriesCollector::Add(SeriesWrite series, std::vector<LabelView>& labels,
                          std::span<const std::string_view> histograms,
                          std::vector<Exemplar> exemplars) {
  const size_t histogram_count = series.histograms.size() + histograms.size();
  out_.sample_count += series.samples.size();
  out_.histogram_count += histogram_count;
  SortLabels(labels);
  if (!out_.memory.status().ok()) return;
  if (const auto bad = CheckLabels(labels, limits_)) {
    out_.refusals.Add(bad->reason, series.samples.size() + histogram_count, labels, bad->why);
    return;
  }
  if (!out_.memory.AddLabels(SizeOf(labels)) ||
      !out_.memory.Add(BytesOf(series, histograms, exemplars))) {
    return;
  }
  for (const std::string_view message : histograms) {
    if (message.size() > limits_.max_histogram_bytes) {
      out_.refusals.Add(RejectReason::kBadHistogram, 1, labels,
                        absl::StrFormat("a histogram of %d bytes is longer than the limit of %d",
                                        message.size(), limits_.max_histogram_bytes));
      continue;
    }
    absl::StatusOr<HistogramSample> sample = DecodeHistogramMessage(message);
    if (sample.ok()) {
      series.histograms.push_back(*std::move(sample));
    } else {
      out_.refusals.Add(RejectReason::kBadHistogram, 1, labels, Message(sample.status()));
    }
  }
  std::erase_if(labels, [](const LabelView& label) { return label.value.empty(); });
  series.labels = LabelSet::OfSorted(labels);
  // Prometheus sends exemplars as series without samples.
  if (!exemplars.empty()) out_.exemplars.push_back({series.labels, std::move(exemplars)});
  if (series.samples.empty() && series.histograms.empty()) return;
  out_.request.series.push_back(std::move(series));
}

}  // namespace lockstep

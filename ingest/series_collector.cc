#include "ingest/series_collector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ingest/histogram_message.h"
#include "ingest/label_check.h"

namespace lockstep {

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
  if (const auto bad = CheckLabels(labels, limits_)) {
    out_.refusals.Add(bad->reason, series.samples.size() + histogram_count, labels, bad->why);
    return;
  }
  for (const std::string_view message : histograms) {
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

#include "import/delivery/series_batch.h"

#include "absl/strings/str_format.h"

namespace lockstep::importer {

absl::StatusOr<SeriesWrite*> SeriesBatch::Room(const LabelSet& labels) {
  if (sample_count_ >= kMaxRequestSamples) LOCKSTEP_RETURN_IF_ERROR(Flush());
  if (request_.series.empty() || !(request_.series.back().labels == labels)) {
    request_.series.push_back({labels, {}, {}});
  }
  ++sample_count_;
  return &request_.series.back();
}

absl::Status SeriesBatch::Add(const LabelSet& labels, const SampleColumns& samples) {
  for (size_t i = 0; i < samples.values.size(); ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(SeriesWrite* const series, Room(labels));
    series->samples.push_back({samples.timestamps_ms[i], samples.values[i]});
  }
  for (const HistogramSample& sample : samples.histograms) {
    LOCKSTEP_ASSIGN_OR_RETURN(SeriesWrite* const series, Room(labels));
    series->histograms.push_back(sample);
  }
  return absl::OkStatus();
}

absl::Status SeriesBatch::Flush() {
  if (request_.series.empty()) return absl::OkStatus();
  const std::string place = absl::StrFormat("%d samples from %s on", sample_count_,
                                            request_.series.front().labels.ToString());
  LOCKSTEP_RETURN_IF_ERROR(sender_.Send(request_, {}, place));
  request_.series.clear();
  sample_count_ = 0;
  return absl::OkStatus();
}

}  // namespace lockstep::importer

#include "tests/promqltest/loader.h"

#include <cmath>
#include <map>
#include <utility>

#include "tests/promqltest/classic_to_native.h"
#include "tests/promqltest/sent_hints.h"

namespace lockstep::promqltest {
namespace {

// The start timestamp of the slot; 0 if unknown.
int64_t StartOf(const SeriesLine& series, size_t slot, int64_t timestamp_ms) {
  if (series.start_offsets.empty() || !series.start_offsets[slot]) return 0;
  return timestamp_ms + std::llround(series.start_offsets[slot]->value * 1000);
}

SeriesWrite ToSeriesWrite(const SeriesLine& series, int64_t step_ms) {
  SeriesWrite write;
  write.labels = series.labels;
  for (size_t i = 0; i < series.slots.size(); ++i) {
    const Slot& slot = series.slots[i];
    if (!slot) continue;
    const int64_t t = static_cast<int64_t>(i) * step_ms;
    if (slot->histogram != nullptr) {
      write.histograms.push_back({t, slot->histogram, StartOf(series, i, t)});
    } else {
      write.samples.push_back({t, slot->value});
      write.start_timestamps_ms.push_back(StartOf(series, i, t));
    }
  }
  return write;
}

}  // namespace

WriteRequest ToWriteRequest(const LoadCommand& load) {
  std::map<LabelSet, SeriesWrite> by_labels;
  for (const SeriesLine& series : load.series) {
    by_labels[series.labels] = ToSeriesWrite(series, load.step_ms);
  }
  WriteRequest request;
  for (auto& [labels, write] : by_labels) request.series.push_back(std::move(write));
  if (load.with_custom_buckets) {
    std::vector<SeriesWrite> native = ClassicToNative(request.series);
    std::move(native.begin(), native.end(), std::back_inserter(request.series));
  }
  for (SeriesWrite& write : request.series) SetSentHints(write);
  return request;
}

}  // namespace lockstep::promqltest

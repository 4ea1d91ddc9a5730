#include "tests/promqltest/loader.h"

#include <map>
#include <utility>

#include "tests/promqltest/classic_to_native.h"
#include "tests/promqltest/sent_hints.h"

namespace lockstep::promqltest {
namespace {

SeriesWrite ToSeriesWrite(const SeriesLine& series, int64_t step_ms) {
  SeriesWrite write;
  write.labels = series.labels;
  for (size_t i = 0; i < series.slots.size(); ++i) {
    const Slot& slot = series.slots[i];
    if (!slot) continue;
    const int64_t t = static_cast<int64_t>(i) * step_ms;
    if (slot->histogram != nullptr) {
      write.histograms.push_back({t, slot->histogram});
    } else {
      write.samples.push_back({t, slot->value});
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

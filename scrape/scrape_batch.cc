#include "scrape/scrape_batch.h"

#include <utility>

#include "storage/storage.h"

namespace lockstep::scrape {
namespace {

// A sample's memory here and on its way to the store: the item, its key, its reference, and the
// series if it is new.
constexpr uint64_t kSampleBytes = 64 + sizeof(SeriesWrite) + 2 * sizeof(KnownSample);

}  // namespace

void ScrapeBatch::Add(const KeyedLabels& series, const Sample& sample) {
  if (memory_.Add(kSampleBytes)) items_.push_back({&series, sample});
}

void ScrapeBatch::AddHistogram(const KeyedLabels& series, HistogramSample histogram) {
  const uint64_t bytes = kSampleBytes + sizeof(SeriesWrite) + histogram.histogram->byte_count();
  if (memory_.Add(bytes)) histograms_.push_back({&series, std::move(histogram)});
}

void ScrapeBatch::AddExemplar(const LabelSet& series, Exemplar exemplar) {
  const uint64_t bytes = sizeof(SeriesExemplars) + sizeof(Exemplar) + series.bytes().size() +
                         exemplar.labels.bytes().size();
  if (memory_.Add(bytes)) exemplars_.push_back({series, {std::move(exemplar)}});
}

void ScrapeBatch::Clear() {
  items_ = {};
  histograms_ = {};
  exemplars_ = {};
  memory_ = {};
}

DecodedWrite ScrapeBatch::Take(const Storage& storage) {
  std::vector<SeriesKey> keys;
  keys.reserve(items_.size());
  for (const Item& item : items_) keys.push_back(item.series->key);
  std::vector<SeriesRef> refs(keys.size());
  storage.FindSeries(keys, refs);

  DecodedWrite write;
  write.series_count = items_.size() + histograms_.size();
  write.sample_count = items_.size();
  write.histogram_count = histograms_.size();
  write.exemplar_count = exemplars_.size();
  for (size_t i = 0; i < items_.size(); ++i) {
    if (refs[i].known()) {
      write.request.known.push_back({refs[i], items_[i].sample});
    } else {
      write.request.series.push_back({items_[i].series->labels, {items_[i].sample}, {}});
    }
  }
  for (HistogramItem& item : histograms_) {
    write.request.series.push_back({item.series->labels, {}, {std::move(item.histogram)}});
  }
  histograms_.clear();
  write.exemplars = std::exchange(exemplars_, {});
  write.metadata = std::exchange(metadata_, {});
  items_ = {};
  write.memory = std::exchange(memory_, {});
  return write;
}

}  // namespace lockstep::scrape

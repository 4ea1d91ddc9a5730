#include "scrape/scrape_batch.h"

#include <utility>

namespace lockstep::scrape {

void ScrapeBatch::Clear() {
  items_.clear();
  histograms_.clear();
  exemplars_.clear();
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
  items_.clear();
  return write;
}

}  // namespace lockstep::scrape

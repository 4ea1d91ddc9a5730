// ScrapeBatch: the samples of one scrape on their way to the store. Charges a target's data to the
// memory budget first: once it is exhausted, nothing more is added, and status() says why.
// Not thread-safe.
#pragma once

#include <vector>

#include "ingest/write/decoded_write.h"
#include "scrape/target_series.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::scrape {

class ScrapeBatch {
 public:
  // `series` must stay valid until Take() or Clear().
  void Add(const KeyedLabels& series, const Sample& sample);
  void AddHistogram(const KeyedLabels& series, HistogramSample histogram);
  void AddExemplar(const LabelSet& series, Exemplar exemplar);
  // Adds the scraper's own samples: of known series, or about the scrape.
  void AddOwn(const KeyedLabels& series, const Sample& sample) {
    items_.push_back({&series, sample});
  }
  void AddMetadata(MetadataEntry entry) { metadata_.push_back(std::move(entry)); }
  absl::Status status() const { return memory_.status(); }

  // Keeps the metadata, which is valid even in a bad body.
  void Clear();

  // Everything as a write request; samples of series that `storage` knows are without labels.
  DecodedWrite Take(const Storage& storage);

 private:
  struct Item {
    const KeyedLabels* series;
    Sample sample;
  };

  struct HistogramItem {
    const KeyedLabels* series;
    HistogramSample histogram;
  };

  std::vector<Item> items_;
  std::vector<HistogramItem> histograms_;
  std::vector<SeriesExemplars> exemplars_;
  std::vector<MetadataEntry> metadata_;
  RequestMemory memory_;
};

}  // namespace lockstep::scrape

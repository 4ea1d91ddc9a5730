// ScrapeBatch: the samples of one scrape on their way to the store. What a target sends is taken
// from the memory budget first: once there is no room nothing more is added, and status() says why.
// Not thread-safe.
#pragma once

#include <vector>

#include "ingest/decoded_write.h"
#include "scrape/target_series.h"
#include "storage/storage.h"

namespace lockstep::scrape {

class ScrapeBatch {
 public:
  // `series` stays where it is until Take() or Clear().
  void Add(const KeyedLabels& series, const Sample& sample);
  void AddHistogram(const KeyedLabels& series, HistogramSample histogram);
  void AddExemplar(const LabelSet& series, Exemplar exemplar);
  // Of the scraper itself: of a series that is known, or that says how the scrape went.
  void AddOwn(const KeyedLabels& series, const Sample& sample) {
    items_.push_back({&series, sample});
  }
  void AddMetadata(MetadataEntry entry) { metadata_.push_back(std::move(entry)); }
  absl::Status status() const { return memory_.status(); }

  // Without the metadata, which is true of a bad body too.
  void Clear();

  // All of it as a write request; samples of series that `storage` knows go without labels.
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

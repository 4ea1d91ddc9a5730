// SeriesCollector: puts series with labels that are spelled out into a DecodedWrite, or says there why not.
// Not thread-safe.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ingest/decoded_write.h"
#include "ingest/limits.h"
#include "model/labels.h"

namespace lockstep {

class SeriesCollector {
 public:
  // Both outlive the collector.
  SeriesCollector(const IngestLimits& limits, DecodedWrite& out) : limits_(limits), out_(out) {}

  // Counts exemplars that arrived, and returns how many of them the request may still have.
  size_t AdmitExemplars(size_t count);

  // `series` has no labels. `labels` are sorted; those with empty values are left out. More histograms may
  // come as messages: they are decoded when all labels are known, so that a refusal can name the series.
  // Throws protozero::exception if there are any. Nothing is added once DecodedWrite::memory is over a limit.
  // Precondition: `exemplars` were admitted.
  void Add(SeriesWrite series, std::vector<LabelView>& labels,
           std::span<const std::string_view> histograms, std::vector<Exemplar> exemplars);

 private:
  const IngestLimits& limits_;
  DecodedWrite& out_;
  size_t admitted_exemplar_count_ = 0;
};

}  // namespace lockstep

// SeriesCollector: adds series with decoded labels to a DecodedWrite, or refuses them there. Not
// thread-safe.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"
#include "model/labels.h"

namespace lockstep {

class SeriesCollector {
 public:
  // Both must outlive the collector.
  SeriesCollector(const IngestLimits& limits, DecodedWrite& out) : limits_(limits), out_(out) {}

  // Counts arrived exemplars, and returns how many of them the request may still have.
  size_t AdmitExemplars(size_t count);

  // `series` has no labels. Sorts `labels` and drops those with empty values. Further histograms
  // may come as messages, which are decoded once all labels are known, so that a refusal can name
  // the series; then this may throw protozero::exception. Adds nothing once DecodedWrite::memory is
  // over a limit. Precondition: `exemplars` were admitted.
  void Add(SeriesWrite series, std::vector<LabelView>& labels,
           std::span<const std::string_view> histograms, std::vector<Exemplar> exemplars);

 private:
  const IngestLimits& limits_;
  DecodedWrite& out_;
  size_t admitted_exemplar_count_ = 0;
};

}  // namespace lockstep

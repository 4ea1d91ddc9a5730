// FamilyReader: iterates over a protobuf exposition and yields the entries that equivalent text
// would, so a series has the same text in every format. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/exposition/family_message.h"
#include "ingest/exposition/text_entry.h"

namespace lockstep::exposition {

class FamilyReader {
 public:
  // `body` must outlive the reader. Views in entries are valid until the next Next(). Series and
  // exemplars use TextFormat::kPrometheus.
  FamilyReader(std::string_view body, const HistogramChoice& choice)
      : rest_(body), choice_(choice) {}

  // False at the end. Errors are kInvalidArgument and name the family: "metric family 3: ...".
  absl::StatusOr<bool> Next(TextEntry& entry);

  // Adds the family of the last entry to `status`.
  absl::Status InPlace(const absl::Status& status) const;

 private:
  absl::StatusOr<bool> Take(TextEntry& entry);
  // Takes the next family and the entries that describe it.
  absl::Status TakeFamily();
  absl::Status CheckUnit() const;
  void Describe(EntryKind kind, std::string_view text);
  void TakeSample(const FamilySample& sample, TextEntry& entry);
  bool TakeExemplar(TextEntry& entry);

  std::string_view rest_;
  const HistogramChoice choice_;
  size_t family_count_ = 0;
  // The current family and metric, and the next entry to return.
  MetricFamily family_;
  std::vector<TextEntry> descriptions_;
  size_t next_description_ = 0;
  size_t next_metric_ = 0;
  FamilyMetric metric_;
  size_t next_sample_ = 0;
  size_t next_exemplar_ = 0;  // of the sample before next_sample_
  // Buffers that entries refer to.
  std::string name_;
  std::string help_;
  std::string series_;
  std::string exemplar_;
};

}  // namespace lockstep::exposition

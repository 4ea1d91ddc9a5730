// FamilyReader: the entries of a protobuf exposition, one after the other, as those of the text that would say the same:
// so a series is known by one text whatever the format. Not thread-safe.
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
  // `body` outlives the reader. Views in entries live until the next call of Next(); series and exemplars are for
  // TextFormat::kPrometheus.
  FamilyReader(std::string_view body, const HistogramChoice& choice)
      : rest_(body), choice_(choice) {}

  // False at the end. An error is kInvalidArgument and names the family: "metric family 3: ...".
  absl::StatusOr<bool> Next(TextEntry& entry);

  // `status`, which is about the entry that Next() gave last, with its family.
  absl::Status InPlace(const absl::Status& status) const;

 private:
  absl::StatusOr<bool> Take(TextEntry& entry);
  // The next family, and the entries that describe it.
  absl::Status TakeFamily();
  absl::Status CheckUnit() const;
  void Describe(EntryKind kind, std::string_view text);
  void TakeSample(const FamilySample& sample, TextEntry& entry);
  bool TakeExemplar(TextEntry& entry);

  std::string_view rest_;
  const HistogramChoice choice_;
  size_t family_count_ = 0;
  // Each with what is to be given next.
  MetricFamily family_;
  std::vector<TextEntry> descriptions_;
  size_t next_description_ = 0;
  size_t next_metric_ = 0;
  FamilyMetric metric_;
  size_t next_sample_ = 0;
  size_t next_exemplar_ = 0;  // of the sample before next_sample_
  // What entries view.
  std::string name_;
  std::string help_;
  std::string series_;
  std::string exemplar_;
};

}  // namespace lockstep::exposition

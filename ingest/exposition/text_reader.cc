#include "ingest/exposition/text_reader.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep::exposition {

absl::StatusOr<bool> TextReader::Next(TextEntry& entry) {
  entry_begin_ = text_.size() - rest_.size();
  const bool is_open_metrics = format_ == TextFormat::kOpenMetrics;
  if (rest_.empty()) {
    if (!is_open_metrics || has_ended_) return false;
    return InPlace(absl::InvalidArgumentError("the text does not end with \"# EOF\""));
  }
  if (has_ended_) return InPlace(absl::InvalidArgumentError("there is text after \"# EOF\""));
  absl::StatusOr<TextEntry> taken = TakeEntry(rest_, format_);
  if (!taken.ok()) return InPlace(taken.status());
  entry = *taken;
  has_ended_ = entry.kind == EntryKind::kEof;
  return true;
}

absl::Status TextReader::InPlace(const absl::Status& status) const {
  const auto begin = text_.begin();
  const auto line = 1 + std::count(begin, begin + static_cast<ptrdiff_t>(entry_begin_), '\n');
  return Annotate(status, absl::StrFormat("line %d", line));
}

}  // namespace lockstep::exposition

// TextReader: the entries of a whole exposition, one after the other. Not thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/exposition/text_format.h"

namespace lockstep::exposition {

class TextReader {
 public:
  // `text` outlives the reader and the entries.
  TextReader(std::string_view text, TextFormat format)
      : text_(text), rest_(text), format_(format) {}

  // False at the end. An error is kInvalidArgument and names the line: "line 3: ..."; so is text of
  // OpenMetrics that does not end with "# EOF", or goes on behind it.
  absl::StatusOr<bool> Next(TextEntry& entry);

  // `status`, which is about the entry that Next() gave last, with its line.
  absl::Status InPlace(const absl::Status& status) const;

 private:
  const std::string_view text_;
  std::string_view rest_;
  const TextFormat format_;
  size_t entry_begin_ = 0;
  bool has_ended_ = false;  // "# EOF" was there
};

}  // namespace lockstep::exposition

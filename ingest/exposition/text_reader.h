// TextReader: iterates over the entries of a whole exposition. Not thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/exposition/text_format.h"

namespace lockstep::exposition {

class TextReader {
 public:
  // `text` must outlive the reader and its entries.
  TextReader(std::string_view text, TextFormat format)
      : text_(text), rest_(text), format_(format) {}

  // False at the end. Errors are kInvalidArgument and name the line: "line 3: ...". In OpenMetrics,
  // a missing "# EOF" or text after it is an error.
  absl::StatusOr<bool> Next(TextEntry& entry);

  // Adds the line of the last entry to `status`.
  absl::Status InPlace(const absl::Status& status) const;

 private:
  const std::string_view text_;
  std::string_view rest_;
  const TextFormat format_;
  size_t entry_begin_ = 0;
  bool has_ended_ = false;  // saw "# EOF"
};

}  // namespace lockstep::exposition

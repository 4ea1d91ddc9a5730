// ReferenceKeys: computes the keys of series whose labels a remote write 2.0 request references by
// number. Not thread-safe.
//
// The series of one target differ only in the value of __name__. So it caches what the other
// references stand for by their bytes, and what each name stands for by its number: usually a key
// is combined from hashes without looking at any label.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/remote_write/symbol_table.h"
#include "ingest/remote_write/target_memo.h"
#include "model/series_key.h"

namespace lockstep {

class ReferenceKeys {
 public:
  // Labels with a longer text get no key, so that a few bytes that reference it repeatedly cannot
  // expand without bound.
  static constexpr size_t kMaxTextBytes = 4096;
  // A series with more labels gets no key.
  static constexpr size_t kMaxLabels = 128;

  struct Labelled {
    SeriesKey key;
    uint32_t name = 0;  // the symbol number of the metric name
    uint32_t label_count = 0;
    size_t label_bytes = 0;  // of all label texts
  };

  ReferenceKeys();

  // Forgets everything, for the next request.
  void Clear();
  // The memory that Clear() keeps.
  size_t kept_bytes() const { return names_.capacity() * sizeof(Run); }

  // `references` is the packed field. Nothing if they are not valid labels of the table, if
  // __name__ is missing, or if a text is too long. Precondition: since Clear(), the table has only
  // grown.
  std::optional<Labelled> Of(std::string_view references, const SymbolTable& symbols);

 private:
  // What some references stand for.
  struct Run {
    LabelsHash hash;
    uint32_t label_count = 0;
    uint32_t label_bytes = 0;
  };
  // All labels except the name.
  struct TargetRuns {
    Run before_name, after_name;
  };
  // Three parts of the packed field.
  struct Split {
    std::string_view before_value;  // includes the number of "__name__"
    uint32_t value = 0;
    std::string_view after_value;
  };

  // Correct only if the name's value is at the same offset as in the previous series.
  std::optional<Split> SplitAsBefore(std::string_view references) const;
  // Null where Of() returns nothing.
  const TargetRuns* Find(std::string_view references, const SymbolTable& symbols, Split& split);
  std::optional<TargetRuns> Learn(std::string_view references, const SymbolTable& symbols);
  // Reads all references into numbers_, returns the index of the first "__name__", and measures the
  // bytes up to it.
  std::optional<size_t> ReadNumbers(std::string_view references, const SymbolTable& symbols);
  const Run* Name(const Split& split, const SymbolTable& symbols);
  std::optional<Run> RunOf(std::span<const uint32_t> references, const SymbolTable& symbols);

  TargetMemo memo_;
  std::vector<TargetRuns> targets_;  // by target number
  size_t before_value_bytes_ = 0;    // of the previous series
  std::vector<Run> names_;           // by symbol number; unknown if without labels
  std::vector<uint32_t> numbers_;
  std::string wire_;
};

}  // namespace lockstep

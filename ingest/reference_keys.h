// ReferenceKeys: the keys of series whose labels a remote write 2.0 request names by number. Not thread-safe.
//
// The series of one target differ in the value of __name__ alone. So what the other references stand for is
// remembered by their bytes, and what each name stands for by its number: as a rule a key is put together from
// hashes, and no label is looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/symbol_table.h"
#include "ingest/target_memo.h"
#include "model/series_key.h"

namespace lockstep {

class ReferenceKeys {
 public:
  // A longer text is in no label that a key is made of: a few bytes that name it again and again shall not become
  // very many.
  static constexpr size_t kMaxTextBytes = 4096;
  // A series with more is given no key.
  static constexpr size_t kMaxLabels = 128;

  struct Labelled {
    SeriesKey key;
    uint32_t name = 0;  // the number of the name's text
    uint32_t label_count = 0;
    size_t label_bytes = 0;  // of all their texts
  };

  ReferenceKeys();

  // Forgets everything, for the next request.
  void Clear();
  // Of memory that Clear() keeps.
  size_t kept_bytes() const { return names_.capacity() * sizeof(Run); }

  // `references` is the packed field. Nothing if these are no labels of the table's, if none of them is __name__, or
  // if a text is too long. Precondition: the table only grew since Clear().
  std::optional<Labelled> Of(std::string_view references, const SymbolTable& symbols);

 private:
  // What some references stand for.
  struct Run {
    LabelsHash hash;
    uint32_t label_count = 0;
    uint32_t label_bytes = 0;
  };
  // All labels but the name.
  struct TargetRuns {
    Run before_name, after_name;
  };
  // Three pieces of the packed field.
  struct Split {
    std::string_view before_value;  // the number of "__name__" included
    uint32_t value = 0;
    std::string_view after_value;
  };

  // Right only if the name's value comes after as many bytes as in the series before.
  std::optional<Split> SplitAsBefore(std::string_view references) const;
  // Null where Of() has nothing.
  const TargetRuns* Find(std::string_view references, const SymbolTable& symbols, Split& split);
  std::optional<TargetRuns> Learn(std::string_view references, const SymbolTable& symbols);
  // Reads all into numbers_ and returns where among them the first "__name__" is, whose bytes it measures.
  std::optional<size_t> ReadNumbers(std::string_view references, const SymbolTable& symbols);
  const Run* Name(const Split& split, const SymbolTable& symbols);
  std::optional<Run> RunOf(std::span<const uint32_t> references, const SymbolTable& symbols);

  TargetMemo memo_;
  std::vector<TargetRuns> targets_;  // by their number there
  size_t before_value_bytes_ = 0;    // of the series before
  std::vector<Run> names_;  // by the number of their text; those without labels are not known
  std::vector<uint32_t> numbers_;
  std::string wire_;
};

}  // namespace lockstep

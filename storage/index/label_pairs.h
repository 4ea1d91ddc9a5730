// LabelPairs: numbers every distinct (name, value) of many label sets, and lists the sets that have
// it.
//
// Threads: as for SeriesIndex, one writer or many readers. Views and references live until the pair
// is erased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/string_map.h"
#include "storage/index/postings.h"

namespace lockstep {

using NameId = uint32_t;
using PairId = uint32_t;

struct LabelPair {
  NameId name = 0;
  std::string value;
  Postings postings;
};

// All values of one label name, keyed by views of LabelPair::value.
using LabelValueMap = absl::flat_hash_map<std::string_view, PairId>;

class LabelPairs {
 public:
  LabelPairs() = default;
  LabelPairs(const LabelPairs&) = delete;
  LabelPairs& operator=(const LabelPairs&) = delete;

  // Returns the id of the pair, adding it if it is missing.
  PairId Intern(std::string_view name, std::string_view value);
  // Forgets the pair; its id may be given out again. Precondition: the pair is there.
  void Erase(PairId id);

  std::optional<PairId> Find(std::string_view name, std::string_view value) const;
  std::optional<NameId> FindName(std::string_view name) const;

  LabelPair& pair(PairId id) { return pairs_[id]; }
  const LabelPair& pair(PairId id) const { return pairs_[id]; }
  const std::string& name(NameId id) const { return names_[id].text; }
  const LabelValueMap& values(NameId id) const { return names_[id].values; }

  // In any order. Each name in use has at least one value.
  const StringMap<NameId>& names() const { return name_ids_; }
  size_t size() const { return pairs_.size() - free_pairs_.size(); }

 private:
  struct Name {
    std::string text;
    LabelValueMap values;
  };

  NameId InternName(std::string_view name);

  // Deques, because the maps hold views into their elements.
  std::deque<Name> names_;
  std::deque<LabelPair> pairs_;
  std::vector<NameId> free_names_;
  std::vector<PairId> free_pairs_;
  StringMap<NameId> name_ids_;
};

}  // namespace lockstep

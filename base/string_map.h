// StringMap<V>, StringSet: hash containers keyed by std::string that look up a std::string_view
// without creating a string. (Abseil's own transparent hash only supports absl::string_view.)
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"

namespace lockstep {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return absl::Hash<std::string_view>()(text); }
};

struct StringEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

template <typename V>
using StringMap = absl::flat_hash_map<std::string, V, StringHash, StringEqual>;

using StringSet = absl::flat_hash_set<std::string, StringHash, StringEqual>;

}  // namespace lockstep

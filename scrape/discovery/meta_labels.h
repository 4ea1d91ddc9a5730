// MetaLabels: collects the labels of discovered targets, in linear time, and charges them to the
// memory budget as they arrive. Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "model/labels.h"

namespace lockstep::scrape {

// Replaces each byte of `key` that is invalid in label names by '_'.
std::string LabelNameOf(std::string_view key);

// Merges the sets; later ones win.
LabelSet Merged(std::initializer_list<const LabelSet*> sets);

class MetaLabels {
 public:
  // `prefix` starts all names: "__meta_kubernetes_". It must outlive the labels.
  explicit MetaLabels(std::string_view prefix) : prefix_(prefix) {}

  // Drops empty values.
  void Set(std::string_view name, std::string_view value);
  // Sets an entry of a map: `name`_`key` to its value, and `name`present_`key` to "true".
  void SetEntry(std::string_view name, std::string_view key, std::string_view value);

  // Fails if there was not enough memory.
  absl::StatusOr<LabelSet> Build() const;

 private:
  const std::string_view prefix_;
  std::vector<std::pair<std::string, std::string>> labels_;
  MemoryCharge memory_{MemoryAccount::kScrapes};
  absl::Status refusal_;
};

}  // namespace lockstep::scrape

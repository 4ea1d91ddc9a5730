// MetaLabels: collects the labels of what a source found. Linear in what it is given, which is
// charged to the memory budget as it comes. Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "base/status.h"
#include "model/labels.h"

namespace lockstep::scrape {

// `key` with '_' for each byte that names of labels do not have.
std::string LabelNameOf(std::string_view key);

// Labels of all sets; later ones win.
LabelSet Merged(std::initializer_list<const LabelSet*> sets);

class MetaLabels {
 public:
  // `prefix` begins all names: "__meta_kubernetes_". It outlives the labels.
  explicit MetaLabels(std::string_view prefix) : prefix_(prefix) {}

  // An empty value is left out.
  void Set(std::string_view name, std::string_view value);
  // An entry of a map: `name`_`key` with its value, and `name`present_`key`, which is "true".
  void SetEntry(std::string_view name, std::string_view key, std::string_view value);

  // Fails if there was no memory for one.
  absl::StatusOr<LabelSet> Build() const;

 private:
  const std::string_view prefix_;
  std::vector<std::pair<std::string, std::string>> labels_;
  MemoryCharge memory_{MemoryAccount::kScrapes};
  absl::Status refusal_;
};

}  // namespace lockstep::scrape

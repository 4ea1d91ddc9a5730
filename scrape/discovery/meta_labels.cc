#include "scrape/discovery/meta_labels.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace lockstep::scrape {

std::string LabelNameOf(std::string_view key) {
  std::string name(key);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

LabelSet Merged(std::initializer_list<const LabelSet*> sets) {
  std::vector<LabelView> labels;
  for (const LabelSet* const set : sets) labels.insert(labels.end(), set->begin(), set->end());
  return LabelSet::Of(std::move(labels));
}

void MetaLabels::SetEntry(std::string_view name, std::string_view key, std::string_view value) {
  const std::string label_key = LabelNameOf(key);
  Set(absl::StrFormat("%s_%s", name, label_key), value);
  Set(absl::StrFormat("%spresent_%s", name, label_key), "true");
}

void MetaLabels::Set(std::string_view name, std::string_view value) {
  // Two strings, plus views of them while the set is built.
  constexpr uint64_t kLabelBytes = 160;
  if (value.empty() || !refusal_.ok()) return;
  refusal_ = memory_.Add(kLabelBytes + 2 * (prefix_.size() + name.size() + value.size()));
  if (refusal_.ok()) labels_.emplace_back(absl::StrFormat("%s%s", prefix_, name), value);
}

absl::StatusOr<LabelSet> MetaLabels::Build() const {
  LOCKSTEP_RETURN_IF_ERROR(refusal_);
  std::vector<LabelView> views;
  views.reserve(labels_.size());
  for (const auto& [name, value] : labels_) views.push_back({name, value});
  return LabelSet::Of(std::move(views));
}

}  // namespace lockstep::scrape

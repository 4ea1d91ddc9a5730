#include "ingest/remote_write/symbol_table.h"

#include <algorithm>

namespace lockstep {

void SymbolTable::Clear() {
  texts_.clear();
  metric_name_number_ = kNone;
}

void SymbolTable::Add(std::string_view text) {
  if (text == kMetricName && metric_name_number_ == kNone) {
    metric_name_number_ = static_cast<uint32_t>(texts_.size());
  }
  texts_.push_back(text);
}

std::optional<std::string_view> SymbolTable::Find(uint32_t number) const {
  if (number >= texts_.size()) return std::nullopt;
  return texts_[number];
}

bool SymbolTable::AreLabels(std::span<const uint32_t> references) const {
  return references.size() % 2 == 0 &&
         std::ranges::all_of(references, [this](uint32_t n) { return n < texts_.size(); });
}

void SymbolTable::AppendLabels(std::span<const uint32_t> references,
                               std::vector<LabelView>& labels) const {
  for (size_t i = 0; i < references.size(); i += 2) {
    labels.push_back({text(references[i]), text(references[i + 1])});
  }
}

std::optional<uint32_t> SymbolTable::MetricNameOf(std::span<const uint32_t> references) const {
  for (size_t i = 0; i < references.size(); i += 2) {
    if (IsMetricName(references[i])) return references[i + 1];
  }
  return std::nullopt;
}

}  // namespace lockstep

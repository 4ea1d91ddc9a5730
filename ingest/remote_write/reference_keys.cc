#include "ingest/remote_write/reference_keys.h"

#include <algorithm>
#include <limits>
#include <span>

#include "ingest/remote_write/wire_bytes.h"

namespace lockstep {
namespace {

bool TakeNumber(WireBytes& in, uint32_t& number) {
  uint64_t value = 0;
  if (!TakeVarint(in, value) || value > std::numeric_limits<uint32_t>::max()) return false;
  number = static_cast<uint32_t>(value);
  return true;
}

}  // namespace

ReferenceKeys::ReferenceKeys() : targets_(TargetMemo::kMaxTargets) {}

void ReferenceKeys::Clear() {
  memo_.Clear();
  names_.clear();
}

std::optional<ReferenceKeys::Labelled> ReferenceKeys::Of(std::string_view references,
                                                         const SymbolTable& symbols) {
  Split split;
  const TargetRuns* const target = Find(references, symbols, split);
  if (target == nullptr) return std::nullopt;
  const Run* const name = Name(split, symbols);
  if (name == nullptr) return std::nullopt;
  const Run &before = target->before_name, &after = target->after_name;
  return Labelled{SeriesKeyOfHashes(before.hash, name->hash, after.hash), split.value,
                  before.label_count + 1 + after.label_count,
                  size_t{before.label_bytes} + name->label_bytes + after.label_bytes};
}

std::optional<ReferenceKeys::Split> ReferenceKeys::SplitAsBefore(
    std::string_view references) const {
  if (references.size() <= before_value_bytes_) return std::nullopt;
  Split split;
  split.before_value = references.substr(0, before_value_bytes_);
  WireBytes in = WireBytes::Of(references.substr(before_value_bytes_));
  if (!TakeNumber(in, split.value)) return std::nullopt;
  split.after_value = TextOf(in);
  return split;
}

const ReferenceKeys::TargetRuns* ReferenceKeys::Find(std::string_view references,
                                                     const SymbolTable& symbols, Split& split) {
  if (const std::optional<Split> guess = SplitAsBefore(references)) {
    split = *guess;
    const TargetMemo::Found found = memo_.Find(split.before_value, split.after_value);
    if (found.is_known) return &targets_[found.number];
    memo_.Forget(found.number);
  }
  const std::optional<TargetRuns> runs = Learn(references, symbols);
  if (!runs.has_value()) return nullptr;
  split = *SplitAsBefore(references);
  const TargetMemo::Found found = memo_.Find(split.before_value, split.after_value);
  targets_[found.number] = *runs;
  return &targets_[found.number];
}

std::optional<ReferenceKeys::TargetRuns> ReferenceKeys::Learn(std::string_view references,
                                                              const SymbolTable& symbols) {
  const std::optional<size_t> name = ReadNumbers(references, symbols);
  if (!name.has_value() || !symbols.AreLabels(numbers_)) return std::nullopt;
  const std::span<const uint32_t> numbers = numbers_;
  const std::optional<Run> before = RunOf(numbers.first(*name), symbols);
  const std::optional<Run> after = RunOf(numbers.subspan(*name + 2), symbols);
  if (!before.has_value() || !after.has_value()) return std::nullopt;
  return TargetRuns{*before, *after};
}

std::optional<size_t> ReferenceKeys::ReadNumbers(std::string_view references,
                                                 const SymbolTable& symbols) {
  std::optional<size_t> name;
  WireBytes in = WireBytes::Of(references);
  numbers_.clear();
  while (!in.empty()) {
    const size_t i = numbers_.size();
    if (i == 2 * kMaxLabels || !TakeNumber(in, numbers_.emplace_back())) return std::nullopt;
    if (name.has_value() || i % 2 != 0 || !symbols.IsMetricName(numbers_[i])) continue;
    name = i;
    before_value_bytes_ = references.size() - in.size();
  }
  return name;
}

const ReferenceKeys::Run* ReferenceKeys::Name(const Split& split, const SymbolTable& symbols) {
  if (split.value >= symbols.size()) return nullptr;
  if (split.value >= names_.size()) names_.resize(symbols.size());
  Run& name = names_[split.value];
  if (name.label_count > 0) return &name;
  const std::string_view text = symbols.text(split.value);
  if (text.size() > kMaxTextBytes) return nullptr;
  wire_.clear();
  AppendWireLabel(kMetricName, text, wire_);
  name = {HashOfLabels(wire_), 1, static_cast<uint32_t>(kMetricName.size() + text.size())};
  return &name;
}

std::optional<ReferenceKeys::Run> ReferenceKeys::RunOf(std::span<const uint32_t> references,
                                                       const SymbolTable& symbols) {
  Run run;
  wire_.clear();
  for (size_t i = 0; i < references.size(); i += 2) {
    const std::string_view name = symbols.text(references[i]);
    const std::string_view value = symbols.text(references[i + 1]);
    if (std::max(name.size(), value.size()) > kMaxTextBytes) return std::nullopt;
    AppendWireLabel(name, value, wire_);
    run.label_bytes += static_cast<uint32_t>(name.size() + value.size());
    ++run.label_count;
  }
  run.hash = HashOfLabels(wire_);
  return run;
}

}  // namespace lockstep

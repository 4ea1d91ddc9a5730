// SymbolTable: the texts of a remote write 2.0 request, which its series reference by number. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/labels.h"

namespace lockstep {

class SymbolTable {
 public:
  // `text` is a view of the request, which must outlive the table.
  void Add(std::string_view text);
  void Clear();

  size_t size() const { return texts_.size(); }
  // The memory that Clear() keeps.
  size_t kept_bytes() const { return texts_.capacity() * sizeof(std::string_view); }
  // Precondition: number < size().
  std::string_view text(uint32_t number) const { return texts_[number]; }
  // Nothing if the number is not in the table.
  std::optional<std::string_view> Find(uint32_t number) const;

  // Whether `references` are pairs of valid numbers.
  bool AreLabels(std::span<const uint32_t> references) const;
  // Appends them in order. Precondition: AreLabels(references).
  void AppendLabels(std::span<const uint32_t> references, std::vector<LabelView>& labels) const;
  // Whether the number is that of the first "__name__".
  bool IsMetricName(uint32_t number) const { return number == metric_name_number_; }
  // The number of the metric name, if the labels have one. Precondition: AreLabels(references).
  std::optional<uint32_t> MetricNameOf(std::span<const uint32_t> references) const;

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  std::vector<std::string_view> texts_;
  uint32_t metric_name_number_ = kNone;  // of the first "__name__"
};

}  // namespace lockstep

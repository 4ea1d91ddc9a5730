// SymbolTable: the texts of a remote write 2.0 request, which its series name by number. Not thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"

namespace lockstep {

class SymbolTable {
 public:
  // Views of the request, which outlives the table.
  void Add(std::string_view text);
  void Clear();

  size_t size() const { return texts_.size(); }
  // Of memory that Clear() keeps.
  size_t kept_bytes() const;
  // Precondition: number < size().
  std::string_view text(uint32_t number) const { return texts_[number]; }
  // Nothing if the number is none of the table's.
  std::optional<std::string_view> Find(uint32_t number) const;

  // Whether `references` are pairs of the table's.
  bool AreLabels(std::span<const uint32_t> references) const;
  // Appends them as they are. Precondition: AreLabels(references).
  void AppendLabels(std::span<const uint32_t> references, std::vector<LabelView>& labels) const;
  // The number of the metric's name, if there is one among the labels. Precondition: AreLabels(references).
  std::optional<uint32_t> MetricNameOf(std::span<const uint32_t> references) const;

  // The labels as SeriesKeyOfWire() takes them, until the next call. Nothing if they are none, or if one of the
  // texts is longer than kMaxWireTextBytes: a few bytes that name it again and again shall not become very many.
  std::optional<std::string_view> WireLabels(std::span<const uint32_t> references);
  static constexpr size_t kMaxWireTextBytes = 4096;

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // A label in the form of WireLabels().
  struct WireLabel {
    uint32_t name = kNone;
    uint32_t size = 0;
    size_t begin = 0;  // in encoded_
  };

  // As below, but `out` is in wire_, where room is made, and the label is learnt. Null if a text is too long.
  char* PutRareLabel(uint32_t name, uint32_t value, char* out);
  // Writes the label to `out`, which has room for the longest, and returns the end.
  char* PutLabel(uint32_t name, uint32_t value, char* out) const;
  void Learn(uint32_t name, uint32_t value);
  // `out` is in wire_ and stays there.
  char* MakeRoom(char* out, size_t bytes);

  std::vector<std::string_view> texts_;
  uint32_t metric_name_number_ = kNone;  // of the first "__name__"
  // The label that each text was the value of first: nearly always it is the same again.
  std::vector<WireLabel> label_by_value_;
  std::string encoded_;  // those labels, with room to read behind the last
  size_t encoded_size_ = 0;
  std::string wire_;
};

}  // namespace lockstep

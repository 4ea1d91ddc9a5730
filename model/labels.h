// LabelSet: the identity of a series, and the builder that edits one.
//
// A LabelSet is immutable and stores its labels packed in one string, sorted by name:
//   varint length, name, varint length, value, ...
// so that equality is one comparison, a hash is one pass, and a set is one allocation. The metric
// name is the label "__name__". A label with an empty value means no label and is never stored.
// Safe to read from any thread. Views that a LabelSet returns live as long as the set (moving it
// ends them).
#pragma once

#include <compare>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace lockstep {

inline constexpr std::string_view kMetricName = "__name__";

struct LabelView {
  std::string_view name;
  std::string_view value;
  friend auto operator<=>(const LabelView&, const LabelView&) = default;
};

class LabelSet {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = LabelView;
    using difference_type = std::ptrdiff_t;
    using pointer = const LabelView*;
    using reference = const LabelView&;

    Iterator() = default;
    reference operator*() const { return label_; }
    pointer operator->() const { return &label_; }
    Iterator& operator++();
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    friend class LabelSet;
    Iterator(const char* at, const char* end) : at_(at), end_(end) { Read(); }
    void Read();

    const char* at_ = nullptr;    // first byte of the current label
    const char* next_ = nullptr;  // first byte after it
    const char* end_ = nullptr;
    LabelView label_;
  };

  LabelSet() = default;
  // Labels in any order. Empty values are left out; for a repeated name the last value wins.
  static LabelSet Of(std::vector<LabelView> labels);
  static LabelSet Of(std::initializer_list<LabelView> labels) {
    return Of(std::vector<LabelView>(labels));
  }
  // Labels that are already sorted by name, without repeated names or empty values.
  static LabelSet OfSorted(std::span<const LabelView> labels);
  // The bytes() of another set, or equivalent bytes; nothing is checked.
  static LabelSet OfPacked(std::string bytes) {
    LabelSet set;
    set.bytes_ = std::move(bytes);
    return set;
  }
  // From bytes() of another set, checked: names ascend without repeats, and values are not empty.
  static absl::StatusOr<LabelSet> FromBytes(std::string_view bytes);

  Iterator begin() const { return {bytes_.data(), bytes_.data() + bytes_.size()}; }
  Iterator end() const { return {bytes_.data() + bytes_.size(), bytes_.data() + bytes_.size()}; }
  bool empty() const { return bytes_.empty(); }
  // The number of labels; iterates over the set.
  size_t size() const;

  // The label's value, or "" if the set has no such label.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const { return !Get(name).empty(); }
  std::string_view metric_name() const { return Get(kMetricName); }

  // Only / all except the named labels. `names` in any order.
  LabelSet Keep(const std::vector<std::string>& names) const;
  LabelSet Drop(const std::vector<std::string>& names) const;
  LabelSet DropMetricName() const;
  // With this label instead of one with the same name, if any; without it if the value is empty.
  LabelSet With(LabelView added) const;

  // PromQL's notation: name{a="b"}, or {a="b"} without a name.
  std::string ToString() const;

  // The packed form, stable on disk (docs/formats/labels.md).
  const std::string& bytes() const { return bytes_; }
  // Stable across processes and versions.
  uint64_t Hash() const;

  friend bool operator==(const LabelSet& a, const LabelSet& b) { return a.bytes_ == b.bytes_; }
  // By name, then value, label by label; a prefix comes first. This is Prometheus' order.
  friend std::strong_ordering operator<=>(const LabelSet& a, const LabelSet& b);
  template <typename H>
  friend H AbslHashValue(H h, const LabelSet& labels) {
    return H::combine(std::move(h), std::string_view(labels.bytes_));
  }

 private:
  std::string bytes_;
};

// Edits a copy of a label set. Not thread-safe.
class LabelSetBuilder {
 public:
  LabelSetBuilder() = default;
  explicit LabelSetBuilder(const LabelSet& base);

  // An empty value deletes the label.
  LabelSetBuilder& Set(std::string_view name, std::string_view value);
  LabelSetBuilder& Delete(std::string_view name) { return Set(name, {}); }
  std::string_view Get(std::string_view name) const;
  LabelSet Build() const;

 private:
  std::vector<std::pair<std::string, std::string>> labels_;
};

// [a-zA-Z_][a-zA-Z0-9_]*
bool IsLegacyLabelName(std::string_view name);
// [a-zA-Z_:][a-zA-Z0-9_:]*
bool IsLegacyMetricName(std::string_view name);
bool IsValidUtf8(std::string_view text);

}  // namespace lockstep

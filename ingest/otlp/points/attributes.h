// Attributes: the attributes of a resource, scope, point or exemplar, with their values as text.
// Not thread-safe.
#pragma once

#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/labels.h"

namespace lockstep::otlp {

class Attributes {
 public:
  Attributes() = default;
  // Moving keeps the views valid; copying would not.
  Attributes(Attributes&&) = default;
  Attributes& operator=(Attributes&&) = default;

  // More than any limit allows: further ones are dropped, and the excess is still detected.
  static constexpr size_t kMaxCount = 1024;

  // Both views must outlive the attributes.
  void Add(std::string_view key, std::string_view text) {
    if (all_.size() < kMaxCount) all_.push_back({key, text});
  }
  // The key must outlive the attributes; the text is moved in.
  void AddMade(std::string_view key, std::string text) {
    if (all_.size() >= kMaxCount) return;
    all_.push_back({key, made_.emplace_front(std::move(text))});
  }

  // In order of arrival.
  std::span<const LabelView> all() const { return all_; }
  // The first one with that key.
  std::optional<std::string_view> Find(std::string_view key) const {
    for (const LabelView& attribute : all_) {
      if (attribute.name == key) return attribute.value;
    }
    return std::nullopt;
  }

 private:
  std::vector<LabelView> all_;
  std::forward_list<std::string> made_;  // does not move its elements, and is small while empty
};

}  // namespace lockstep::otlp

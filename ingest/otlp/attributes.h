// Attributes: the attributes of a resource, a scope, a point or an exemplar, with their values as text. Not
// thread-safe.
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
  // Moving keeps the views alive, copying would not.
  Attributes(Attributes&&) = default;
  Attributes& operator=(Attributes&&) = default;

  // More than anybody may have: the others are left out, and that there were too many still shows.
  static constexpr size_t kMaxCount = 1024;

  // Views that outlive the attributes.
  void Add(std::string_view key, std::string_view text) {
    if (all_.size() < kMaxCount) all_.push_back({key, text});
  }
  // The key outlives the attributes, the text becomes theirs.
  void AddMade(std::string_view key, std::string text) {
    if (all_.size() >= kMaxCount) return;
    all_.push_back({key, made_.emplace_front(std::move(text))});
  }

  // In their order of arrival.
  std::span<const LabelView> all() const { return all_; }
  // The first of that key.
  std::optional<std::string_view> Find(std::string_view key) const {
    for (const LabelView& attribute : all_) {
      if (attribute.name == key) return attribute.value;
    }
    return std::nullopt;
  }

 private:
  std::vector<LabelView> all_;
  std::forward_list<std::string>
      made_;  // which does not move what is there, and is small while empty
};

}  // namespace lockstep::otlp

#include "hang/dump/document.h"

#include <charconv>

#include "absl/strings/str_format.h"

namespace lockstep::hang {

absl::Status Document::Charge(uint64_t bytes) {
  return memory_ == nullptr ? absl::OkStatus() : memory_->Add(bytes);
}

absl::StatusOr<NodeNumber> Document::Add(const Node& node) {
  if (nodes_.size() >= kMaxNodes) {
    return absl::OutOfRangeError(
        absl::StrFormat("it has more than %d values, which is the limit", kMaxNodes));
  }
  // A vector that grows holds twice what it needs.
  LOCKSTEP_RETURN_IF_ERROR(Charge(2 * sizeof(Node)));
  nodes_.push_back(node);
  return static_cast<NodeNumber>(nodes_.size() - 1);
}

absl::StatusOr<NodeNumber> Document::AddBool(bool value) {
  Node node;
  node.kind = NodeKind::kBool;
  node.integer = value ? 1 : 0;
  return Add(node);
}

absl::StatusOr<NodeNumber> Document::AddInteger(int64_t value) {
  Node node;
  node.kind = NodeKind::kInteger;
  node.integer = value;
  return Add(node);
}

absl::StatusOr<NodeNumber> Document::AddFloat() {
  Node node;
  node.kind = NodeKind::kFloat;
  return Add(node);
}

absl::StatusOr<NodeNumber> Document::AddText(std::string_view text) {
  Node node;
  node.kind = NodeKind::kText;
  node.text = text;
  return Add(node);
}

absl::StatusOr<NodeNumber> Document::AddList() { return AddContainer(NodeKind::kList); }
absl::StatusOr<NodeNumber> Document::AddDict() { return AddContainer(NodeKind::kDict); }

absl::StatusOr<NodeNumber> Document::AddContainer(NodeKind kind) {
  LOCKSTEP_RETURN_IF_ERROR(Charge(2 * sizeof(std::vector<NodeNumber>)));
  Node node;
  node.kind = kind;
  node.container = static_cast<uint32_t>(containers_.size());
  LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber number, Add(node));
  containers_.emplace_back();
  return number;
}

absl::Status Document::Append(NodeNumber container, std::span<const NodeNumber> elements) {
  const Node& node = nodes_[container];
  if (node.kind != NodeKind::kList && node.kind != NodeKind::kDict) {
    return absl::InvalidArgumentError("something is appended to a value that is no list or dict");
  }
  if (node.kind == NodeKind::kDict && elements.size() % 2 != 0) {
    return absl::InvalidArgumentError("a dict has a key without a value");
  }
  LOCKSTEP_RETURN_IF_ERROR(Charge(2 * sizeof(NodeNumber) * elements.size()));
  std::vector<NodeNumber>& all = containers_[node.container];
  all.insert(all.end(), elements.begin(), elements.end());
  return absl::OkStatus();
}

std::span<const NodeNumber> Document::ElementsOf(NodeNumber node, NodeKind kind) const {
  if (nodes_[node].kind != kind || is_exhausted()) return {};
  return containers_[nodes_[node].container];
}

std::span<const NodeNumber> Document::Elements(NodeNumber list) const {
  const std::span<const NodeNumber> elements = ElementsOf(list, NodeKind::kList);
  looks_ += elements.size();
  return elements;
}

std::span<const NodeNumber> Document::Pairs(NodeNumber dict) const {
  const std::span<const NodeNumber> pairs = ElementsOf(dict, NodeKind::kDict);
  looks_ += pairs.size() / 2;
  return pairs;
}

std::optional<NodeNumber> Document::Find(NodeNumber dict, std::string_view key) const {
  const std::span<const NodeNumber> pairs = ElementsOf(dict, NodeKind::kDict);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    ++looks_;
    if (Text(pairs[i]) == key) return pairs[i + 1];
  }
  return std::nullopt;
}

std::optional<std::string_view> Document::Text(NodeNumber node) const {
  if (nodes_[node].kind != NodeKind::kText) return std::nullopt;
  return nodes_[node].text;
}

std::optional<int64_t> Document::Integer(NodeNumber node) const {
  if (nodes_[node].kind == NodeKind::kInteger) return nodes_[node].integer;
  const std::optional<std::string_view> text = Text(node);
  int64_t number = 0;
  constexpr size_t kMostDigits = 32;  // a text of many zeros is no number
  if (!text.has_value() || text->empty() || text->size() > kMostDigits) return std::nullopt;
  const char* const end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

std::optional<bool> Document::Bool(NodeNumber node) const {
  if (nodes_[node].kind != NodeKind::kBool) return std::nullopt;
  return nodes_[node].integer != 0;
}

std::string_view Document::TextAt(NodeNumber dict, std::string_view key) const {
  const std::optional<NodeNumber> found = Find(dict, key);
  return found.has_value() ? Text(*found).value_or("") : std::string_view();
}

std::optional<int64_t> Document::IntegerAt(NodeNumber dict, std::string_view key) const {
  const std::optional<NodeNumber> found = Find(dict, key);
  return found.has_value() ? Integer(*found) : std::nullopt;
}

std::optional<bool> Document::BoolAt(NodeNumber dict, std::string_view key) const {
  const std::optional<NodeNumber> found = Find(dict, key);
  return found.has_value() ? Bool(*found) : std::nullopt;
}

}  // namespace lockstep::hang

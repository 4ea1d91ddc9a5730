// Document: the values of a pickle or a JSON text, as numbered nodes.
//
// Texts are views of what was parsed, which must outlive the document. A pickle may refer to one
// value from several places, even to a list from inside itself: walk a document to a fixed depth
// only. Every node and every reference is charged before it is made. Looks at elements and keys are
// counted: a short pickle can make a reader look at one large list very often. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/status.h"

namespace lockstep::hang {

using NodeNumber = uint32_t;

enum class NodeKind : uint8_t { kNone, kBool, kInteger, kFloat, kText, kList, kDict };

class Document {
 public:
  static constexpr size_t kMaxNodes = size_t{4} << 20;
  // More than reading a whole recorder's buffer takes, and less than a second.
  static constexpr uint64_t kMaxLooks = uint64_t{64} << 20;

  // `memory` must outlive this; null: not charged.
  explicit Document(MemoryCharge* memory) : memory_(memory) {}

  absl::StatusOr<NodeNumber> AddNone() { return Add(Node()); }
  absl::StatusOr<NodeNumber> AddBool(bool value);
  absl::StatusOr<NodeNumber> AddInteger(int64_t value);
  // No reader needs the value of a float.
  absl::StatusOr<NodeNumber> AddFloat();
  absl::StatusOr<NodeNumber> AddText(std::string_view text);
  absl::StatusOr<NodeNumber> AddList();
  absl::StatusOr<NodeNumber> AddDict();
  // Appends to a list, or key and value in turn to a dict. kInvalidArgument if it is neither.
  absl::Status Append(NodeNumber container, std::span<const NodeNumber> elements);

  void set_root(NodeNumber root) { root_ = root; }
  NodeNumber root() const { return root_; }

  // Whether more than kMaxLooks elements and keys were looked at: since then lists and dicts seem
  // empty, and what was read is not to be used.
  bool is_exhausted() const { return looks_ > kMaxLooks; }

  NodeKind KindOf(NodeNumber node) const { return nodes_[node].kind; }
  // Empty or nothing if the node is of another kind.
  std::span<const NodeNumber> Elements(NodeNumber list) const;
  std::optional<NodeNumber> Find(NodeNumber dict, std::string_view key) const;
  // Keys and values in turn.
  std::span<const NodeNumber> Pairs(NodeNumber dict) const;
  std::optional<std::string_view> Text(NodeNumber node) const;
  // Also of a text that is a decimal integer, as some writers put numbers.
  std::optional<int64_t> Integer(NodeNumber node) const;
  std::optional<bool> Bool(NodeNumber node) const;

  // The same for the value of a key.
  std::string_view TextAt(NodeNumber dict, std::string_view key) const;
  std::optional<int64_t> IntegerAt(NodeNumber dict, std::string_view key) const;
  std::optional<bool> BoolAt(NodeNumber dict, std::string_view key) const;

 private:
  struct Node {
    NodeKind kind = NodeKind::kNone;
    uint32_t container = 0;  // of a list or dict: its index in containers_
    int64_t integer = 0;     // also of a boolean
    std::string_view text = {};
  };

  absl::StatusOr<NodeNumber> Add(const Node& node);
  absl::StatusOr<NodeNumber> AddContainer(NodeKind kind);
  absl::Status Charge(uint64_t bytes);
  std::span<const NodeNumber> ElementsOf(NodeNumber node, NodeKind kind) const;

  MemoryCharge* const memory_;
  std::vector<Node> nodes_;
  std::vector<std::vector<NodeNumber>> containers_;
  NodeNumber root_ = 0;
  mutable uint64_t looks_ = 0;
};

}  // namespace lockstep::hang

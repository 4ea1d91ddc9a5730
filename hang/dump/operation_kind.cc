#include "hang/dump/operation_kind.h"

#include <charconv>

#include "hang/record/rank_record.h"

namespace lockstep::hang {
namespace {

struct KnownKind {
  std::string_view prefix;  // of the name without the backend
  std::string_view name;
  bool compares_sizes;
  bool compares_output;
};

// The first prefix that fits counts. Forms of a collective that differ only in how the caller
// passes tensors send the same messages.
constexpr KnownKind kKnownKinds[] = {
    {"all_reduce_barrier", "barrier", false, false},
    {"barrier", "barrier", false, false},
    {"all_reduce", "all_reduce", true, false},
    {"allreduce_coalesced", "all_reduce_coalesced", true, false},
    {"_all_gather_base", "all_gather", true, false},
    {"all_gather_into_tensor_coalesced", "all_gather_coalesced", true, false},
    {"all_gather", "all_gather", true, false},
    {"_reduce_scatter_base", "reduce_scatter", true, true},
    {"reduce_scatter_tensor_coalesced", "reduce_scatter_coalesced", true, true},
    {"reduce_scatter", "reduce_scatter", true, true},
    {"_broadcast_oop", "broadcast", true, false},
    {"broadcast", "broadcast", true, false},
    {"_reduce_oop", "reduce", true, false},
    {"reduce", "reduce", true, false},
    // Ranks give or get different amounts.
    {"all_to_all", "all_to_all", false, false},
    {"gather", "gather", true, false},
    {"scatter", "scatter", false, false},
};

// "1->0" or "1<-0": the number after the arrow.
int32_t PeerOf(std::string_view ends) {
  size_t at = ends.find("->");
  if (at == ends.npos) at = ends.find("<-");
  if (at == ends.npos) return -1;
  int32_t peer = -1;
  std::from_chars(ends.data() + at + 2, ends.data() + ends.size(), peer);
  return peer >= 0 && peer <= kMaxRank ? peer : -1;
}

}  // namespace

OperationKind KindOf(std::string_view profiling_name) {
  std::string_view text = profiling_name.substr(profiling_name.find(':') + 1);
  OperationKind kind;
  const size_t space = text.find(' ');
  const std::string_view name = text.substr(0, space);
  if (name == "send" || name == "recv") {
    kind.name = name;
    kind.is_p2p = true;
    kind.compares_sizes = true;
    if (space != text.npos) kind.peer = PeerOf(text.substr(space));
    return kind;
  }
  // "coalesced", "ALLGATHER_coalesced": unlike "allreduce_coalesced", which is an operation itself.
  const bool is_upper = !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
  if (name == "coalesced" || (is_upper && name.ends_with("_coalesced"))) {
    kind.is_end_of_batch = true;
    kind.name = name;
    return kind;
  }
  for (const KnownKind& known : kKnownKinds) {
    if (!name.starts_with(known.prefix)) continue;
    kind.name = known.name;
    kind.compares_sizes = known.compares_sizes;
    kind.compares_output = known.compares_output;
    return kind;
  }
  kind.name = name;
  return kind;
}

}  // namespace lockstep::hang

#include "hang/dump/flight_dump.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "hang/dump/operation_kind.h"

namespace lockstep::hang {
namespace {

// Older ones are not read. PyTorch keeps 2,000 unless told otherwise.
constexpr size_t kMaxEntries = 1 << 16;
// Of all groups of a dump together.
constexpr size_t kMaxGroupRanks = 1 << 17;
// No recorder counts further, and sums of such numbers do not overflow.
constexpr int64_t kMaxCount = int64_t{1} << 53;
// How far the end of a batch is looked back from.
constexpr size_t kMostOfBatch = 4096;
constexpr int64_t kNsPerMs = 1'000'000;

// The text of nested lists of integers or texts: "[[4, 2], [8]]".
void AppendList(const Document& document, NodeNumber node, int depth, std::string& text) {
  if (text.size() > kMaxTextBytes || depth > 3) return;
  if (document.KindOf(node) != NodeKind::kList) {
    if (const auto number = document.Integer(node)) {
      absl::StrAppendFormat(&text, "%d", *number);
    } else {
      text += document.Text(node).value_or("?").substr(0, kMaxTextBytes);
    }
    return;
  }
  text += '[';
  bool is_first = true;
  for (const NodeNumber element : document.Elements(node)) {
    if (text.size() > kMaxTextBytes) break;
    if (!is_first) text += ", ";
    is_first = false;
    AppendList(document, element, depth + 1, text);
  }
  text += ']';
}

// Elements of all tensors; -1 if the list is not one of shapes, or the count overflows.
int64_t ElementCount(const Document& document, NodeNumber shapes) {
  int64_t total = 0;
  for (const NodeNumber shape : document.Elements(shapes)) {
    if (document.KindOf(shape) != NodeKind::kList) return -1;
    int64_t count = 1;
    for (const NodeNumber size : document.Elements(shape)) {
      const std::optional<int64_t> number = document.Integer(size);
      if (!number.has_value() || *number < 0) return -1;
      if (__builtin_mul_overflow(count, *number, &count)) return -1;
    }
    if (__builtin_add_overflow(total, count, &total)) return -1;
  }
  return total;
}

// Each dtype once, if all are the same.
std::string DtypesText(const Document& document, NodeNumber list) {
  std::string all;
  std::set<std::string_view> distinct;
  for (const NodeNumber element : document.Elements(list)) {
    const std::string_view name = document.Text(element).value_or("?").substr(0, kMaxTextBytes);
    distinct.insert(name);
    if (all.size() > kMaxTextBytes) break;
    if (!all.empty()) all += ", ";
    all += name;
  }
  return distinct.size() == 1 ? std::string(*distinct.begin()) : all;
}

bool IsOfFramework(std::string_view file) {
  return file.find("/torch/") != file.npos || file.starts_with("torch/") ||
         file.starts_with("<frozen") || file.starts_with("<string>");
}

// The innermost callers outside of PyTorch; if there are none, the innermost ones.
std::string FramesText(const Document& document, NodeNumber frames) {
  constexpr int kMostFrames = 4;
  constexpr size_t kMostFramesRead = 256;
  constexpr size_t kMostFileBytes = 4096;
  std::string own;
  std::string any;
  int own_count = 0;
  int any_count = 0;
  const auto append = [](std::string& text, int& count, const std::string& frame) {
    if (count++ >= kMostFrames) return;
    if (!text.empty()) text += " < ";
    text += frame;
  };
  const auto all = document.Elements(frames);
  for (const NodeNumber frame : all.first(std::min(all.size(), kMostFramesRead))) {
    std::string_view file = document.TextAt(frame, "filename");
    file = file.substr(file.size() - std::min(file.size(), kMostFileBytes));
    const std::string words =
        absl::StrFormat("%s (%s:%d)", document.TextAt(frame, "name").substr(0, 100),
                        file.substr(file.size() - std::min<size_t>(file.size(), 100)),
                        document.IntegerAt(frame, "line").value_or(0));
    append(any, any_count, words);
    if (!IsOfFramework(file)) append(own, own_count, words);
    if (own_count >= kMostFrames) break;
  }
  return own.empty() ? any : own;
}

// "[0, 1, 2]" as a text, or a list.
std::vector<int32_t> RanksIn(const Document& document, NodeNumber value) {
  std::vector<int32_t> ranks;
  const auto take = [&ranks](int64_t rank) {
    if (rank >= 0 && rank <= kMaxRank && ranks.size() < kMaxGroupRanks) {
      ranks.push_back(static_cast<int32_t>(rank));
    }
  };
  for (const NodeNumber element : document.Elements(value)) {
    if (const auto rank = document.Integer(element)) take(*rank);
  }
  constexpr size_t kMostRanksBytes = size_t{1} << 20;
  const std::string_view text = document.Text(value).value_or("").substr(0, kMostRanksBytes);
  for (size_t at = 0; (at = text.find_first_of("0123456789", at)) != text.npos;) {
    int64_t rank = -1;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), rank);
    if (error != std::errc()) break;
    take(rank);
    at = static_cast<size_t>(end - text.data());
  }
  return ranks;
}

class DumpReader {
 public:
  explicit DumpReader(const Document& document)
      : document_(document), root_(document.root()), texts_(record_.texts) {}

  absl::StatusOr<RankRecord> Read() {
    if (document_.KindOf(root_) != NodeKind::kDict) return Foreign("it is no dict");
    const auto version = document_.Find(root_, "version");
    if (!version.has_value()) return Foreign("it has no version");
    record_.version = std::string(document_.TextAt(root_, "version").substr(0, 32));
    if (!record_.version.starts_with("2.")) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "a flight recorder's dump of version \"%s\"; versions 2.x are read", record_.version));
    }
    record_.host = std::string(document_.TextAt(root_, "host_name").substr(0, kMaxTextBytes));
    ReadConfig();
    LOCKSTEP_RETURN_IF_ERROR(ReadEntries());
    UseUnnamedRanks();
    ReadStatus();
    Inherit();
    for (Operation& operation : record_.operations) {
      record_.newest_ms = std::max(record_.newest_ms, operation.created_ms);
    }
    KeepNewest(record_, kMaxOperations);
    return std::move(record_);
  }

 private:
  static absl::Status Foreign(std::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrFormat("it is not a flight recorder's dump: %s", why));
  }

  // The groups' ranks, by name: some backends describe no group, or all under the name "".
  void ReadConfig() {
    const auto config = document_.Find(root_, "pg_config");
    if (!config.has_value()) return;
    const auto pairs = document_.Pairs(*config);
    for (size_t i = 0; i + 1 < pairs.size() && i < 2 * kMaxGroups; i += 2) {
      const NodeNumber group = pairs[i + 1];
      const auto ranks = document_.Find(group, "ranks");
      if (!ranks.has_value()) continue;
      std::string_view name = document_.TextAt(group, "name");
      if (name.empty()) name = document_.Text(pairs[i]).value_or("");
      if (name.empty()) {
        unnamed_ranks_ = RanksIn(document_, *ranks);
        continue;
      }
      GroupOf(name, document_.TextAt(group, "desc"), RanksIn(document_, *ranks));
    }
  }

  // Gloo's description of the job's whole group has no name. Other groups of gloo replace it, so it
  // counts only where there are none, and if it numbers a job's ranks from 0.
  void UseUnnamedRanks() {
    if (record_.groups.size() != 1 || !record_.groups[0].ranks.empty()) return;
    if (record_.Text(record_.groups[0].description) != kDefaultDescription) return;
    for (size_t i = 0; i < unnamed_ranks_.size(); ++i) {
      if (unnamed_ranks_[i] != static_cast<int32_t>(i)) return;
    }
    record_.groups[0].ranks = unnamed_ranks_;
  }

  // Which group of the record; nothing if there are too many.
  std::optional<uint32_t> GroupOf(std::string_view name, std::string_view description,
                                  std::vector<int32_t> ranks = {}) {
    const TextNumber number = texts_.Of(name);
    const TextNumber words = texts_.Of(description);
    for (size_t i = 0; i < record_.groups.size(); ++i) {
      const GroupRecord& group = record_.groups[i];
      // A configuration may lack the description that entries have.
      if (group.name != number) continue;
      if (group.description == words || group.description == 0 || words == 0) {
        return static_cast<uint32_t>(i);
      }
    }
    if (record_.groups.size() >= kMaxGroups) return std::nullopt;
    rank_count_ += ranks.size();
    if (rank_count_ > kMaxGroupRanks) ranks.clear();
    record_.groups.push_back({.name = number, .description = words, .ranks = std::move(ranks)});
    return static_cast<uint32_t>(record_.groups.size() - 1);
  }

  std::optional<uint32_t> GroupOfEntry(NodeNumber entry) {
    std::string_view name = document_.TextAt(entry, "pg_name");
    std::string_view description = document_.TextAt(entry, "pg_desc");
    if (const auto group = document_.Find(entry, "process_group")) {
      const auto parts = document_.Elements(*group);
      if (!parts.empty()) name = document_.Text(parts[0]).value_or("");
      if (parts.size() > 1) description = document_.Text(parts[1]).value_or("");
    }
    const auto group = GroupOf(name, description);
    if (const auto id = document_.IntegerAt(entry, "pg_id"); id.has_value() && group.has_value()) {
      group_of_id_[*id] = *group;
    }
    return group;
  }

  absl::Status ReadEntries() {
    const auto entries = document_.Find(root_, "entries");
    if (!entries.has_value()) return absl::OkStatus();  // nothing was recorded
    const auto list = document_.Elements(*entries);
    if (document_.KindOf(*entries) != NodeKind::kList) return Foreign("its entries are no list");
    const size_t first = list.size() - std::min(list.size(), kMaxEntries);
    std::vector<std::pair<int64_t, NodeNumber>> ordered;
    for (const NodeNumber entry : list.subspan(first)) {
      if (document_.KindOf(entry) != NodeKind::kDict) return Foreign("an entry is no dict");
      ordered.emplace_back(document_.IntegerAt(entry, "record_id").value_or(0), entry);
    }
    std::ranges::stable_sort(ordered, {}, &std::pair<int64_t, NodeNumber>::first);
    record_.is_wrapped = first > 0 || (!ordered.empty() && ordered.front().first > 0);
    for (const auto& [id, entry] : ordered) ReadEntry(entry);
    NoteProgress();
    return absl::OkStatus();
  }

  void ReadEntry(NodeNumber entry) {
    const std::optional<uint32_t> group = GroupOfEntry(entry);
    if (!group.has_value()) return;
    const OperationKind kind =
        KindOf(document_.TextAt(entry, "profiling_name").substr(0, kMaxTextBytes));
    Operation operation{.group = *group};
    operation.kind = texts_.Of(kind.name);
    operation.peer = kind.peer;
    operation.is_p2p = document_.BoolAt(entry, "is_p2p").value_or(kind.is_p2p);
    const auto sequence =
        document_.IntegerAt(entry, operation.is_p2p ? "p2p_seq_id" : "collective_seq_id");
    operation.sequence = std::clamp(
        sequence.value_or(document_.IntegerAt(entry, "seq_id").value_or(0)), int64_t{0}, kMaxCount);
    ReadSizes(entry, kind, operation);
    ReadState(entry, operation);
    operation.created_ms = document_.IntegerAt(entry, "time_created_ns").value_or(0) / kNsPerMs;
    operation.timeout_ms =
        std::clamp(document_.IntegerAt(entry, "timeout_ms").value_or(0), int64_t{0}, kMaxCount);
    if (const auto frames = document_.Find(entry, "frames")) {
      operation.frames = FramesOf(*frames);
    }
    is_end_.push_back(kind.is_end_of_batch);
    p2p_sequence_.push_back(document_.IntegerAt(entry, "p2p_seq_id").value_or(0));
    record_.operations.push_back(operation);
  }

  // Recorders share the frames of operations that were called from the same place.
  TextNumber FramesOf(NodeNumber frames) {
    const auto [found, is_new] = frames_.try_emplace(frames, 0);
    if (is_new) found->second = texts_.Of(FramesText(document_, frames));
    return found->second;
  }

  void ReadSizes(NodeNumber entry, const OperationKind& kind, Operation& operation) {
    const auto sizes = document_.Find(entry, kind.compares_output ? "output_sizes" : "input_sizes");
    if (sizes.has_value()) {
      std::string text;
      AppendList(document_, *sizes, 0, text);
      operation.sizes = texts_.Of(text);
    }
    operation.element_count =
        kind.compares_sizes && sizes.has_value() ? ElementCount(document_, *sizes) : -1;
    const auto dtypes =
        document_.Find(entry, kind.compares_output ? "output_dtypes" : "input_dtypes");
    if (dtypes.has_value()) operation.dtypes = texts_.Of(DtypesText(document_, *dtypes));
  }

  void ReadState(NodeNumber entry, Operation& operation) {
    const std::string_view state = document_.TextAt(entry, "state");
    // Some backends only say that they are done with an operation.
    if (state == "completed" || document_.BoolAt(entry, "retired").value_or(false)) {
      operation.state = OperationState::kCompleted;
    } else if (state == "started") {
      operation.state = OperationState::kStarted;
    }
  }

  // What the entries say about how far each group came.
  void NoteProgress() {
    std::vector<bool> has_collectives(record_.groups.size());
    for (size_t i = 0; i < record_.operations.size(); ++i) {
      const Operation& operation = record_.operations[i];
      if (operation.is_p2p || is_end_[i]) continue;
      GroupRecord& group = record_.groups[operation.group];
      if (!has_collectives[operation.group] && record_.is_wrapped) {
        group.first_kept = operation.sequence;
      }
      has_collectives[operation.group] = true;
      group.last_entered = std::max(group.last_entered.value_or(0), operation.sequence);
    }
    for (size_t i = 0; i < record_.groups.size(); ++i) {
      GroupRecord& group = record_.groups[i];
      if (has_collectives[i]) continue;
      // Without its entries, nothing is known of a group once the buffer has wrapped.
      if (!record_.is_wrapped) group.last_entered = 0;
    }
  }

  // The recorder's own counts, for groups whose entries the buffer has dropped. They also count
  // sends and receives, so they say nothing about a group that has these.
  void ReadStatus() {
    const auto status = document_.Find(root_, "pg_status");
    if (!status.has_value()) return;
    const auto pairs = document_.Pairs(*status);
    std::vector<bool> has_p2p(record_.groups.size());
    for (const Operation& one : record_.operations) {
      if (one.is_p2p) has_p2p[one.group] = true;
    }
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const auto id = document_.Integer(pairs[i]);
      const auto found = id.has_value() ? group_of_id_.find(*id) : group_of_id_.end();
      const auto entered = document_.IntegerAt(pairs[i + 1], "last_enqueued_collective");
      if (found == group_of_id_.end() || !entered.has_value() || *entered < 0) continue;
      GroupRecord& group = record_.groups[found->second];
      if (!group.last_entered.has_value() && !has_p2p[found->second]) {
        group.last_entered = std::min(*entered, kMaxCount);
        group.first_kept = *group.last_entered + 1;
      }
    }
  }

  // The state of a batch is that of the entry that ends it, which is then left out.
  void Inherit() {
    std::vector<Operation> kept;
    for (size_t i = 0; i < record_.operations.size(); ++i) {
      const Operation end = record_.operations[i];
      if (!is_end_[i]) {
        kept.push_back(end);
        continue;
      }
      std::optional<bool> is_p2p;  // of the batch
      const size_t first = kept.size() - std::min(kept.size(), kMostOfBatch);
      for (size_t k = kept.size(); k-- > first;) {
        Operation& member = kept[k];
        if (member.group != end.group) continue;
        if (member.is_p2p != is_p2p.value_or(member.is_p2p)) break;
        is_p2p = member.is_p2p;
        const int64_t number = member.is_p2p ? p2p_sequence_[i] : end.sequence;
        if (member.sequence != number) break;
        if (member.state < end.state) member.state = end.state;
      }
    }
    record_.operations = std::move(kept);
  }

  const Document& document_;
  const NodeNumber root_;
  RankRecord record_;
  TextNumbers texts_;
  std::vector<int32_t> unnamed_ranks_;
  size_t rank_count_ = 0;
  std::map<int64_t, uint32_t> group_of_id_;
  std::map<NodeNumber, TextNumber> frames_;
  // In the order of the operations.
  std::vector<bool> is_end_;
  std::vector<int64_t> p2p_sequence_;
};

}  // namespace

absl::StatusOr<RankRecord> ReadFlightDump(const Document& document) {
  absl::StatusOr<RankRecord> record = DumpReader(document).Read();
  if (!document.is_exhausted()) return record;
  return absl::InvalidArgumentError(absl::StrFormat(
      "reading the dump takes more than %d looks at its values, which is the limit: "
      "its entries share large lists or dicts",
      Document::kMaxLooks));
}

}  // namespace lockstep::hang

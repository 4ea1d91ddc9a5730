#include "hang/record/record_coding.h"

#include <algorithm>
#include <limits>

#include "base/coding.h"

namespace lockstep::hang {
namespace {

constexpr char kRowVersion = 1;
// More than any record has that was written by EncodeRecord().
constexpr uint64_t kMaxRanks = 1 << 17;

// Beyond any sequence or time of a record, so that sums and differences do not overflow.
constexpr int64_t kMaxNumber = int64_t{1} << 54;

constexpr uint64_t kIsP2p = 1;
constexpr uint64_t kStarted = 2;
constexpr uint64_t kCompleted = 4;

void PutGroup(std::string& out, const GroupRecord& group) {
  PutVarint64(out, group.name);
  PutVarint64(out, group.description);
  PutVarint64(out, group.ranks.size());
  int64_t last = 0;
  for (const int32_t rank : group.ranks) {
    PutVarintSigned64(out, rank - last);
    last = rank;
  }
  PutVarint64(out, group.last_entered.has_value() ? 1 : 0);
  PutVarintSigned64(out, group.last_entered.value_or(0));
  PutVarintSigned64(out, group.first_kept);
}

void PutOperation(std::string& out, const Operation& operation, const Operation& last) {
  uint64_t flags = operation.is_p2p ? kIsP2p : 0;
  if (operation.state == OperationState::kStarted) flags |= kStarted;
  if (operation.state == OperationState::kCompleted) flags |= kCompleted;
  PutVarint64(out, flags);
  PutVarint64(out, operation.group);
  PutVarintSigned64(out, operation.sequence);
  PutVarint64(out, operation.kind);
  PutVarint64(out, operation.sizes);
  PutVarint64(out, operation.dtypes);
  PutVarintSigned64(out, operation.element_count);
  PutVarintSigned64(out, operation.peer);
  // Wraps around rather than overflows: times may be anything.
  PutVarintSigned64(out, static_cast<int64_t>(static_cast<uint64_t>(operation.created_ms) -
                                              static_cast<uint64_t>(last.created_ms)));
  PutVarintSigned64(out, operation.timeout_ms);
  PutVarint64(out, operation.frames);
}

std::string Encode(std::string_view job, const RankRecord& record) {
  std::string out(1, kRowVersion);
  PutLengthPrefixed(out, job);
  PutVarint64(out, static_cast<uint64_t>(record.rank));
  PutVarintSigned64(out, record.kept_ms);
  PutVarintSigned64(out, record.dump_ms);
  PutVarintSigned64(out, record.stack_ms);
  PutVarintSigned64(out, record.newest_ms);
  PutLengthPrefixed(out, record.host);
  PutLengthPrefixed(out, record.version);
  PutVarint64(out, record.is_wrapped ? 1 : 0);
  PutVarint64(out, record.texts.size());
  for (const std::string& text : record.texts) PutLengthPrefixed(out, text);
  PutVarint64(out, record.groups.size());
  for (const GroupRecord& group : record.groups) PutGroup(out, group);
  PutVarint64(out, record.operations.size());
  Operation last;
  for (const Operation& operation : record.operations) {
    PutOperation(out, operation, last);
    last = operation;
  }
  PutVarint64(out, record.stack.size());
  for (const std::string& frame : record.stack) PutLengthPrefixed(out, frame);
  return out;
}

// Only the texts that are used.
void DropUnusedTexts(RankRecord& record) {
  std::vector<std::string> texts{""};
  TextNumbers numbers(texts);
  const auto renumber = [&](TextNumber& text) { text = numbers.Of(record.texts[text]); };
  for (GroupRecord& group : record.groups) {
    renumber(group.name);
    renumber(group.description);
  }
  for (Operation& operation : record.operations) {
    renumber(operation.kind);
    renumber(operation.sizes);
    renumber(operation.dtypes);
    renumber(operation.frames);
  }
  record.texts = std::move(texts);
}

class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : in_(bytes) {}

  bool ReadHead(std::string& job, RankRecord& record) {
    if (!in_.starts_with(kRowVersion)) return false;
    in_.remove_prefix(1);
    return Text(job) && !job.empty() && Int32(record.rank) && record.rank <= kMaxRank &&
           Bounded(record.kept_ms);
  }

  bool ReadRest(RankRecord& record) {
    uint64_t wrapped = 0;
    if (!Bounded(record.dump_ms) || !Bounded(record.stack_ms) || !Bounded(record.newest_ms) ||
        !Text(record.host) || !Text(record.version) || !GetVarint64(in_, wrapped)) {
      return false;
    }
    record.is_wrapped = wrapped != 0;
    record.texts.clear();
    return Texts(record.texts) && !record.texts.empty() && record.texts[0].empty() &&
           Groups(record) && Operations(record) && Texts(record.stack) && in_.empty();
  }

 private:
  bool Text(std::string& text) {
    std::string_view view;
    if (!GetLengthPrefixed(in_, view)) return false;
    text = view;
    return true;
  }

  static bool IsBounded(int64_t number) { return number >= -kMaxNumber && number <= kMaxNumber; }

  bool Bounded(int64_t& number) { return GetVarintSigned64(in_, number) && IsBounded(number); }

  bool Int32(int32_t& number) {
    uint64_t value = 0;
    if (!GetVarint64(in_, value) || value > std::numeric_limits<int32_t>::max()) return false;
    number = static_cast<int32_t>(value);
    return true;
  }

  bool Texts(std::vector<std::string>& texts) {
    uint64_t count = 0;
    if (!GetVarint64(in_, count) || count > kMaxTexts || count > in_.size()) return false;
    texts.resize(count);
    for (std::string& text : texts) {
      if (!Text(text)) return false;
    }
    return true;
  }

  bool Number(const RankRecord& record, TextNumber& text) {
    uint64_t value = 0;
    if (!GetVarint64(in_, value) || value >= record.texts.size()) return false;
    text = static_cast<TextNumber>(value);
    return true;
  }

  bool Groups(RankRecord& record) {
    uint64_t count = 0;
    if (!GetVarint64(in_, count) || count > kMaxGroups) return false;
    record.groups.resize(count);
    for (GroupRecord& group : record.groups) {
      if (!ReadGroup(record, group)) return false;
    }
    return true;
  }

  bool ReadGroup(const RankRecord& record, GroupRecord& group) {
    uint64_t ranks = 0;
    if (!Number(record, group.name) || !Number(record, group.description) ||
        !GetVarint64(in_, ranks) || ranks > kMaxRanks || ranks > in_.size()) {
      return false;
    }
    int64_t last = 0;
    for (uint64_t i = 0; i < ranks; ++i) {
      int64_t step = 0;
      if (!GetVarintSigned64(in_, step) || step < -kMaxRank || step > kMaxRank) return false;
      last += step;
      if (last < 0 || last > kMaxRank) return false;
      group.ranks.push_back(static_cast<int32_t>(last));
    }
    uint64_t is_known = 0;
    int64_t entered = 0;
    if (!GetVarint64(in_, is_known) || !Bounded(entered) || !Bounded(group.first_kept)) {
      return false;
    }
    if (is_known != 0) group.last_entered = entered;
    return true;
  }

  bool Operations(RankRecord& record) {
    uint64_t count = 0;
    if (!GetVarint64(in_, count) || count > kMaxOperations) return false;
    record.operations.resize(count);
    Operation last;
    for (Operation& operation : record.operations) {
      if (!ReadOperation(record, operation)) return false;
      operation.created_ms = static_cast<int64_t>(static_cast<uint64_t>(operation.created_ms) +
                                                  static_cast<uint64_t>(last.created_ms));
      if (!IsBounded(operation.created_ms)) return false;
      last = operation;
    }
    return true;
  }

  bool ReadOperation(const RankRecord& record, Operation& operation) {
    uint64_t flags = 0;
    uint64_t group = 0;
    int64_t peer = 0;
    if (!GetVarint64(in_, flags) || !GetVarint64(in_, group) || group >= record.groups.size()) {
      return false;
    }
    operation.is_p2p = (flags & kIsP2p) != 0;
    if ((flags & kStarted) != 0) operation.state = OperationState::kStarted;
    if ((flags & kCompleted) != 0) operation.state = OperationState::kCompleted;
    operation.group = static_cast<uint32_t>(group);
    if (!Bounded(operation.sequence) || !Number(record, operation.kind) ||
        !Number(record, operation.sizes) || !Number(record, operation.dtypes) ||
        !GetVarintSigned64(in_, operation.element_count) || !GetVarintSigned64(in_, peer) ||
        peer < -1 || peer > kMaxRank) {
      return false;
    }
    operation.peer = static_cast<int32_t>(peer);
    return GetVarintSigned64(in_, operation.created_ms) && Bounded(operation.timeout_ms) &&
           Number(record, operation.frames);
  }

  std::string_view in_;
};

}  // namespace

std::string EncodeRecord(std::string_view job, RankRecord record) {
  DropUnusedTexts(record);
  std::string bytes = Encode(job, record);
  while (bytes.size() > kMaxRecordBytes && !record.operations.empty()) {
    KeepNewest(record, record.operations.size() / 2);
    DropUnusedTexts(record);
    bytes = Encode(job, record);
  }
  // Only the ranks of large groups can be left: they are known to other ranks too.
  if (bytes.size() > kMaxRecordBytes) {
    for (GroupRecord& group : record.groups) group.ranks.clear();
    bytes = Encode(job, record);
  }
  return bytes;
}

bool DecodeRecord(std::string_view bytes, NamedRecord& named) {
  RecordReader reader(bytes);
  return reader.ReadHead(named.job, named.record) && reader.ReadRest(named.record);
}

bool DecodeRecordHead(std::string_view bytes, RecordHead& head) {
  RankRecord record;
  if (!RecordReader(bytes).ReadHead(head.job, record)) return false;
  head.rank = record.rank;
  head.kept_ms = record.kept_ms;
  return true;
}

}  // namespace lockstep::hang

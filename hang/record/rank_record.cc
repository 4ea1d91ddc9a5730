#include "hang/record/rank_record.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep::hang {

std::string_view Name(OperationState state) {
  switch (state) {
    case OperationState::kScheduled:
      return "scheduled";
    case OperationState::kStarted:
      return "started";
    case OperationState::kCompleted:
      return "completed";
  }
  return "";
}

size_t BytesInMemory(const RankRecord& record) {
  // A vector of records that grows holds twice what it needs.
  size_t bytes = 2 * sizeof(RankRecord) + record.host.capacity() + record.version.capacity();
  bytes += record.groups.capacity() * sizeof(GroupRecord);
  for (const GroupRecord& group : record.groups) {
    bytes += group.ranks.capacity() * sizeof(int32_t);
  }
  bytes += record.operations.capacity() * sizeof(Operation);
  for (const std::vector<std::string>* const texts : {&record.texts, &record.stack}) {
    bytes += texts->capacity() * sizeof(std::string);
    for (const std::string& text : *texts) bytes += text.capacity();
  }
  return bytes;
}

TextNumber TextNumbers::Of(std::string_view text) {
  text = text.substr(0, kMaxTextBytes);
  if (text.empty()) return 0;
  const auto known = numbers_.find(std::string(text));
  if (known != numbers_.end()) return known->second;
  if (texts_.size() >= kMaxTexts) return 0;
  const auto number = static_cast<TextNumber>(texts_.size());
  numbers_.emplace(std::string(text), number);
  texts_.emplace_back(text);
  return number;
}

namespace {

// Operations that the cause of a hang may depend on: those that wait, and the last ones of each
// group.
std::vector<bool> Important(const RankRecord& record) {
  constexpr int kLastOnes = 2;
  constexpr int kMostWaiting = 8;
  std::map<std::pair<uint32_t, bool>, std::pair<int, int>> counts;  // last ones, waiting ones
  std::vector<bool> is_important(record.operations.size());
  for (size_t i = record.operations.size(); i-- > 0;) {
    const Operation& operation = record.operations[i];
    if (++counts[{operation.group, operation.is_p2p}].first <= kLastOnes) is_important[i] = true;
  }
  for (size_t i = 0; i < record.operations.size(); ++i) {
    const Operation& operation = record.operations[i];
    if (operation.state == OperationState::kCompleted) continue;
    if (++counts[{operation.group, operation.is_p2p}].second <= kMostWaiting)
      is_important[i] = true;
  }
  return is_important;
}

}  // namespace

void KeepNewest(RankRecord& record, size_t max_operations) {
  if (record.operations.size() <= max_operations) return;
  const std::vector<bool> is_important = Important(record);
  size_t excess = record.operations.size() - max_operations;
  std::vector<Operation> kept;
  std::vector<int64_t> dropped_to(record.groups.size());
  const auto note_dropped = [&dropped_to](const Operation& operation) {
    int64_t& last = dropped_to[operation.group];
    if (!operation.is_p2p) last = std::max(last, operation.sequence);
  };
  for (size_t i = 0; i < record.operations.size(); ++i) {
    const Operation& operation = record.operations[i];
    if (excess > 0 && !is_important[i]) {
      --excess;
      note_dropped(operation);
      continue;
    }
    kept.push_back(operation);
  }
  if (kept.size() > max_operations) {
    const auto first = kept.end() - static_cast<ptrdiff_t>(max_operations);
    std::for_each(kept.begin(), first, note_dropped);
    kept.erase(kept.begin(), first);
  }
  record.operations = std::move(kept);
  record.is_wrapped = true;
  for (size_t i = 0; i < record.groups.size(); ++i) {
    GroupRecord& group = record.groups[i];
    group.first_kept = std::max(group.first_kept, dropped_to[i] + 1);
  }
}

}  // namespace lockstep::hang

// FindCollectiveWait().
#include <algorithm>

#include "hang/find/group_waits.h"
#include "hang/find/wait_parts.h"

namespace lockstep::hang {
namespace {

// Calls take(operation) for the collectives of the group that the member entered.
template <typename Take>
void ForEachCollective(const Member& member, const Take& take) {
  if (member.record == nullptr || !member.group_in_record.has_value()) return;
  for (const Operation& operation : member.record->operations) {
    if (operation.group == *member.group_in_record && !operation.is_p2p) take(operation);
  }
}

// The oldest and the newest waiting collective of the group.
struct WaitingRange {
  std::optional<int64_t> first;
  int64_t last = 0;
};

WaitingRange WaitingOf(const JobGroup& group) {
  WaitingRange range;
  for (const Member& member : group.members) {
    ForEachCollective(member, [&](const Operation& operation) {
      if (!IsWaiting(operation)) return;
      range.first = std::min(range.first.value_or(operation.sequence), operation.sequence);
      range.last = std::max(range.last, operation.sequence);
    });
  }
  return range;
}

// The oldest collective of the group in which the member waits.
std::optional<int64_t> FirstWaitOf(const Member& member) {
  std::optional<int64_t> first;
  ForEachCollective(member, [&](const Operation& operation) {
    if (!IsWaiting(operation)) return;
    first = std::min(first.value_or(operation.sequence), operation.sequence);
  });
  return first;
}

// The collective that the group cannot leave: the first that some rank did not enter, if others
// wait in it or behind it. But ranks that still wait in an earlier one are not late: they cannot go
// on, and then it is that one, which all entered.
int64_t BlockedSequence(const JobGroup& group, const WaitingRange& waiting) {
  std::optional<int64_t> least;
  for (const Member& member : group.members) {
    if (!member.last_entered.has_value()) continue;
    least = std::min(least.value_or(*member.last_entered), *member.last_entered);
  }
  if (!least.has_value() || *least >= waiting.last) return *waiting.first;
  std::optional<int64_t> first_wait;
  for (const Member& member : group.members) {
    if (member.last_entered != least) continue;
    const std::optional<int64_t> wait = FirstWaitOf(member);
    if (!wait.has_value()) return std::max(*least + 1, int64_t{1});
    first_wait = std::min(first_wait.value_or(*wait), *wait);
  }
  return *first_wait;
}

void Sort(const Member& member, int64_t sequence, Wait& wait) {
  if (member.record == nullptr) {
    wait.without_dump.push_back(member.rank);
  } else if (!member.last_entered.has_value()) {
    wait.unknown.push_back(member.rank);
  } else if (*member.last_entered < sequence) {
    wait.missing.push_back(AbsentOf(member));
  } else {
    wait.entered.push_back(member.rank);
    bool waits = false;
    ForEachCollective(member, [&](const Operation& operation) {
      if (!IsWaiting(operation) || operation.sequence < sequence) return;
      waits = true;
      if (operation.sequence > sequence || operation.created_ms == 0) return;
      wait.since_ms =
          wait.since_ms == 0 ? operation.created_ms : std::min(wait.since_ms, operation.created_ms);
    });
    if (waits) wait.waiting.push_back(member.rank);
  }
}

// One of the operations that ranks entered as this collective, preferably one that waits.
std::optional<Wait> Described(const JobGroup& group, int64_t sequence) {
  std::optional<Wait> wait;
  bool is_waiting = false;
  for (const Member& member : group.members) {
    ForEachCollective(member, [&](const Operation& operation) {
      if (operation.sequence != sequence || (wait.has_value() && is_waiting)) return;
      if (wait.has_value() && !IsWaiting(operation)) return;
      wait = WaitIn(group, *member.record, operation);
      is_waiting = IsWaiting(operation);
    });
  }
  return wait;
}

// Those that stopped first come first.
void OrderMissing(const JobGroup& group, std::vector<AbsentRank>& missing) {
  const auto progress = [&group](const AbsentRank& absent) {
    const auto member = std::ranges::lower_bound(group.members, absent.rank, {}, &Member::rank);
    return std::pair(member->last_entered.value_or(0), member->record->newest_ms);
  };
  std::vector<std::pair<std::pair<int64_t, int64_t>, AbsentRank>> ordered;
  for (AbsentRank& absent : missing) ordered.emplace_back(progress(absent), std::move(absent));
  std::ranges::stable_sort(ordered, {}, [](const auto& one) { return one.first; });
  for (size_t i = 0; i < ordered.size(); ++i) missing[i] = std::move(ordered[i].second);
}

// The operation of `other` that follows the one that `record` entered last.
const Operation* NextOf(const RankRecord& record, const RankRecord& other) {
  if (record.operations.empty()) return nullptr;
  const Operation& last = record.operations.back();
  const std::string_view group = record.Text(record.groups[last.group].description);
  for (size_t i = 0; i + 1 < other.operations.size(); ++i) {
    const Operation& same = other.operations[i];
    const bool is_same = same.sequence == last.sequence && same.is_p2p == last.is_p2p &&
                         other.Text(other.groups[same.group].description) == group;
    if (is_same) return &other.operations[i + 1];
  }
  return nullptr;
}

bool IsNext(const JobGroup& group, int64_t sequence) {
  const Member* missing = nullptr;
  for (const Member& member : group.members) {
    const bool is_missing = member.record != nullptr && member.last_entered.has_value() &&
                            *member.last_entered < sequence && !WaitsSomewhere(*member.record);
    if (is_missing) missing = &member;
  }
  if (missing == nullptr) return false;
  return std::ranges::any_of(group.members, [&](const Member& member) {
    if (member.record == nullptr || !member.group_in_record.has_value()) return false;
    if (member.last_entered.value_or(0) < sequence) return false;
    const Operation* const next = NextOf(*missing->record, *member.record);
    return next != nullptr && next->group == *member.group_in_record && !next->is_p2p &&
           next->sequence == sequence;
  });
}

}  // namespace

std::optional<Wait> FindCollectiveWait(const JobGroup& group) {
  const WaitingRange waiting = WaitingOf(group);
  if (!waiting.first.has_value()) return std::nullopt;
  const int64_t sequence = BlockedSequence(group, waiting);
  std::optional<Wait> wait = Described(group, sequence);
  // The dumps do not have it any more, only what waits behind it.
  if (!wait.has_value()) wait = Described(group, *waiting.first);
  wait->sequence = sequence;
  for (const Member& member : group.members) Sort(member, sequence, *wait);
  OrderMissing(group, wait->missing);
  wait->is_next = IsNext(group, sequence);
  if (!wait->missing.empty()) {
    wait->verdict = HangVerdict::kRanksMissing;
  } else if (!wait->without_dump.empty() || !wait->unknown.empty()) {
    wait->verdict = HangVerdict::kDumpsMissing;
  } else {
    wait->verdict = HangVerdict::kAllEntered;
  }
  return wait;
}

}  // namespace lockstep::hang

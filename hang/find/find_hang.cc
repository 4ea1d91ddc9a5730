#include "hang/find/find_hang.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "hang/find/attempts.h"
#include "hang/find/group_waits.h"
#include "hang/find/hang_words.h"
#include "hang/find/job_groups.h"
#include "hang/find/wait_parts.h"

namespace lockstep::hang {
namespace {

// A rank that is waited for and waits itself is not the cause; it is stopped by another one.
bool HasIdleMissing(const Wait& wait) {
  return std::ranges::any_of(wait.missing,
                             [](const AbsentRank& absent) { return !absent.waits_elsewhere; });
}

// How surely a wait is the cause rather than a consequence; the least is the surest.
int OrderOf(const Wait& wait) {
  switch (wait.verdict) {
    case HangVerdict::kMismatch:
      return 0;
    case HangVerdict::kRanksMissing:
    case HangVerdict::kPeerMissing:
      if (HasIdleMissing(wait)) return 1;
      return wait.without_dump.empty() ? 4 : 2;
    case HangVerdict::kDumpsMissing:
      return 2;
    case HangVerdict::kAllEntered:
      return 3;
    default:
      return 5;
  }
}

// Of a wait in memory.
size_t BytesOf(const Wait& wait) {
  size_t bytes = sizeof(Wait) + wait.group.size() + wait.description.size() + wait.kind.size() +
                 wait.sizes.size() + wait.dtypes.size() + wait.where.size();
  bytes +=
      2 * sizeof(int32_t) *
      (wait.waiting.size() + wait.entered.size() + wait.without_dump.size() + wait.unknown.size());
  for (const AbsentRank& absent : wait.missing) {
    bytes += 2 * sizeof(AbsentRank) + absent.host.size() + absent.last.size() + absent.where.size();
  }
  for (const EnteredOperation& one : wait.differing) {
    bytes += 2 * sizeof(EnteredOperation) + one.kind.size() + one.sizes.size() + one.dtypes.size() +
             one.where.size();
  }
  return bytes;
}

absl::StatusOr<std::vector<Wait>> FindWaitsOf(const JobGroup& group, QueryBudget* budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Wait> waits, FindPeerWaits(group, budget));
  LOCKSTEP_ASSIGN_OR_RETURN(std::optional<Wait> wait, FindMismatch(group, budget));
  if (!wait.has_value()) wait = FindCollectiveWait(group);
  if (wait.has_value()) waits.insert(waits.begin(), *std::move(wait));
  if (budget == nullptr) return waits;
  size_t bytes = 0;
  for (const Wait& one : waits) bytes += BytesOf(one);
  LOCKSTEP_RETURN_IF_ERROR(budget->Check());
  LOCKSTEP_RETURN_IF_ERROR(budget->ChargeText(static_cast<int64_t>(bytes)));
  return waits;
}

absl::StatusOr<std::vector<Wait>> FindWaits(std::span<const JobGroup> groups, QueryBudget* budget) {
  std::vector<Wait> waits;
  for (const JobGroup& group : groups) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Wait> own, FindWaitsOf(group, budget));
    std::ranges::move(own, std::back_inserter(waits));
  }
  // The surest cause first. Of equals, the one with the fewest ranks that are stopped themselves,
  // then the one that is next for the rank that stopped, then the one that began first.
  std::ranges::stable_sort(waits, {}, [](const Wait& wait) {
    return std::tuple(OrderOf(wait),
                      std::ranges::count_if(wait.missing, &AbsentRank::waits_elsewhere),
                      !wait.is_next, wait.since_ms == 0 ? INT64_MAX : wait.since_ms);
  });
  return waits;
}

// All that anybody waits for waits itself.
bool IsDeadlock(const Wait& surest) { return OrderOf(surest) == 4; }

// Ranks that wait for different things in a circle have no single cause; a missing peer that waits
// in the same group is not a circle of groups but still one of ranks.
void Conclude(std::vector<Wait> waits, HangAnswer& answer) {
  if (waits.empty()) {
    answer.verdict = HangVerdict::kNone;
    return;
  }
  answer.verdict = IsDeadlock(waits.front()) ? HangVerdict::kDeadlock : waits.front().verdict;
  answer.cause = std::move(waits.front());
  waits.erase(waits.begin());
  constexpr size_t kMostOthers = 32;
  if (waits.size() > kMostOthers) {
    answer.remarks.push_back(
        absl::StrFormat("%d more waits are not listed", waits.size() - kMostOthers));
    waits.resize(kMostOthers);
  }
  answer.others = std::move(waits);
  const int64_t since_ms = answer.cause->since_ms;
  if (since_ms > 0 && answer.newest_dump_ms >= since_ms) {
    answer.waited_ms = answer.newest_dump_ms - since_ms;
  }
}

void CountEvidence(std::span<const RankRecord> records, HangAnswer& answer) {
  for (const RankRecord& record : records) {
    if (!record.stack.empty()) ++answer.stack_count;
  }
}

// Also operations that the buffer has dropped, but that the recorder counted.
bool HasOperations(std::span<const RankRecord* const> records) {
  return std::ranges::any_of(records, [](const RankRecord* record) {
    return !record->operations.empty() ||
           std::ranges::any_of(record->groups, [](const GroupRecord& group) {
             return group.last_entered.value_or(0) > 0;
           });
  });
}

void SayWhatIsMissing(std::span<const RankRecord> records, HangAnswer& answer) {
  if (answer.dump_count == 0) {
    answer.missing.emplace_back("the flight recorder's dump of each rank");
    return;
  }
  if (answer.verdict == HangVerdict::kNoData) {
    answer.missing.emplace_back(
        "dumps with operations: set TORCH_FR_BUFFER_SIZE, and note that gloo records no sends");
  }
  if (!answer.cause.has_value()) return;
  const Wait& cause = *answer.cause;
  if (!cause.without_dump.empty()) {
    answer.missing.push_back(absl::StrFormat("the dumps of rank %s", RankList(cause.without_dump)));
  }
  std::vector<int32_t> without_stack;
  for (const AbsentRank& absent : cause.missing) {
    if (!absent.where_is_stack) without_stack.push_back(absent.rank);
  }
  std::ranges::sort(without_stack);
  if (!without_stack.empty()) {
    answer.missing.push_back(absl::StrFormat("the stacks of rank %s", RankList(without_stack)));
  }
  const bool has_frames = std::ranges::any_of(records, [](const RankRecord& record) {
    return std::ranges::any_of(record.operations,
                               [](const Operation& one) { return one.frames != 0; });
  });
  if (!has_frames) answer.missing.emplace_back("dumps with stack traces: pickles have them");
}

}  // namespace

absl::StatusOr<HangAnswer> FindHang(std::span<const RankRecord> records,
                                    std::span<const int32_t> known_ranks, QueryBudget* budget) {
  HangAnswer answer;
  CountEvidence(records, answer);
  NewestAttempt attempt = SelectNewestAttempt(records);
  answer.set_aside = std::move(attempt.set_aside);
  answer.remarks = std::move(attempt.remarks);
  answer.dump_count = attempt.records.size();
  for (const RankRecord* const record : attempt.records) {
    answer.newest_dump_ms = std::max(answer.newest_dump_ms, record->dump_ms);
  }
  if (HasOperations(attempt.records)) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<JobGroup> groups,
                              JoinGroups(attempt.records, known_ranks, budget));
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Wait> waits, FindWaits(groups, budget));
    Conclude(std::move(waits), answer);
  }
  SayWhatIsMissing(records, answer);
  answer.sentence = SentenceOf(answer);
  return answer;
}

}  // namespace lockstep::hang

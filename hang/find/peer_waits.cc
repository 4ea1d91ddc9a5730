// FindPeerWaits().
#include <algorithm>
#include <map>

#include "hang/find/group_waits.h"
#include "hang/find/wait_parts.h"

namespace lockstep::hang {
namespace {

class PeerSearch {
 public:
  explicit PeerSearch(const JobGroup& group) : group_(group) {}

  absl::StatusOr<std::vector<Wait>> Find(QueryBudget* budget) const {
    std::vector<Wait> waits;
    for (const Member& member : group_.members) {
      if (member.record == nullptr || !member.group_in_record.has_value()) continue;
      if (budget != nullptr) LOCKSTEP_RETURN_IF_ERROR(budget->Check());
      if (auto wait = OldestWait(member)) waits.push_back(*std::move(wait));
    }
    return waits;
  }

 private:
  static bool IsP2p(const Member& member, const Operation& operation) {
    return operation.is_p2p && operation.group == member.group_in_record;
  }

  // The group numbers its ranks; without that, they are those of the job.
  int32_t RankOf(int32_t number) const {
    if (group_.order.empty()) return number;
    const auto index = static_cast<size_t>(number);
    return number >= 0 && index < group_.order.size() ? group_.order[index] : -1;
  }

  const Member* MemberOf(int32_t rank) const {
    const auto found = std::ranges::lower_bound(group_.members, rank, {}, &Member::rank);
    return found != group_.members.end() && found->rank == rank ? &*found : nullptr;
  }

  // The oldest operation of the kind between the two that waits.
  const Operation* Waiting(const Member& member, std::string_view kind, int32_t peer) const {
    if (member.record == nullptr) return nullptr;
    for (const Operation& operation : member.record->operations) {
      if (!IsP2p(member, operation) || !IsWaiting(operation)) continue;
      if (member.record->Text(operation.kind) != kind || RankOf(operation.peer) != peer) continue;
      return &operation;
    }
    return nullptr;
  }

  // The member's oldest waiting send or receive whose peer did not enter the counterpart, else the
  // oldest one.
  std::optional<Wait> OldestWait(const Member& member) const {
    std::optional<Wait> oldest;
    for (const Operation& operation : member.record->operations) {
      if (!IsP2p(member, operation) || !IsWaiting(operation)) continue;
      Wait wait = WaitOf(member, operation);
      if (!oldest.has_value()) oldest = wait;
      if (wait.verdict != HangVerdict::kAllEntered) return wait;
    }
    return oldest;
  }

  Wait WaitOf(const Member& member, const Operation& operation) const {
    Wait wait = WaitIn(group_, *member.record, operation);
    wait.group_size = group_.members.size();
    wait.since_ms = operation.created_ms;
    wait.waiting = {member.rank};
    wait.entered = {member.rank};
    const std::string_view kind = member.record->Text(operation.kind);
    const int32_t peer_rank = RankOf(operation.peer);
    const Member* const peer = MemberOf(peer_rank);
    if (peer == nullptr || peer->record == nullptr) {
      wait.verdict = HangVerdict::kDumpsMissing;
      if (peer_rank >= 0) wait.without_dump = {peer_rank};
      return wait;
    }
    const Operation* const counterpart =
        Waiting(*peer, kind == "send" ? "recv" : "send", member.rank);
    if (counterpart == nullptr) {
      wait.verdict = HangVerdict::kPeerMissing;
      wait.missing.push_back(AbsentOf(*peer));
      return wait;
    }
    wait.verdict = HangVerdict::kAllEntered;
    wait.entered.push_back(peer_rank);
    std::ranges::sort(wait.entered);
    CompareEnds(*peer, operation, *counterpart, wait);
    return wait;
  }

  static void CompareEnds(const Member& peer, const Operation& operation,
                          const Operation& counterpart, Wait& wait) {
    const std::string_view dtypes = peer.record->Text(counterpart.dtypes);
    const bool knows_sizes = operation.element_count >= 0 && counterpart.element_count >= 0;
    if (knows_sizes && operation.element_count != counterpart.element_count) {
      wait.mismatch = MismatchKind::kSize;
    } else if (!wait.dtypes.empty() && !dtypes.empty() && wait.dtypes != dtypes) {
      wait.mismatch = MismatchKind::kDtype;
    } else {
      return;
    }
    wait.verdict = HangVerdict::kMismatch;
    const std::string_view frames = peer.record->Text(counterpart.frames);
    wait.differing.push_back({peer.rank, std::string(peer.record->Text(counterpart.kind)),
                              std::string(peer.record->Text(counterpart.sizes)),
                              std::string(dtypes),
                              std::string(frames.substr(0, frames.find(" < ")))});
  }

  const JobGroup& group_;
};

}  // namespace

absl::StatusOr<std::vector<Wait>> FindPeerWaits(const JobGroup& group, QueryBudget* budget) {
  return PeerSearch(group).Find(budget);
}

}  // namespace lockstep::hang

#include "hang/find/job_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lockstep::hang {
namespace {

// Of a node of a std::set or a std::map with its share of the heap.
constexpr size_t kNodeBytes = 64;

absl::Status Charge(QueryBudget* budget, size_t bytes) {
  if (budget == nullptr) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(budget->Check());
  return budget->ChargeText(static_cast<int64_t>(bytes));
}

struct Mention {
  const RankRecord* record;
  uint32_t group;
};

struct Draft {
  std::string name;
  std::string description;
  std::vector<int32_t> order;
  std::vector<Mention> mentions;
};

// Groups of one name are the same unless their known ranks differ: names count a process's groups,
// so ranks that create different groups may give one name to two.
Draft* FindDraft(std::vector<Draft>& drafts, const RankRecord& record, const GroupRecord& group) {
  const auto has = [](const std::vector<int32_t>& ranks, int32_t rank) {
    return std::ranges::find(ranks, rank) != ranks.end();
  };
  for (Draft& draft : drafts) {
    if (!draft.order.empty() && !group.ranks.empty() && draft.order != group.ranks) continue;
    if (!draft.order.empty() && !has(draft.order, record.rank)) continue;
    // The first one to know the ranks: they must include all ranks so far.
    const bool fits = !draft.order.empty() || group.ranks.empty() ||
                      std::ranges::all_of(draft.mentions, [&](const Mention& mention) {
                        return has(group.ranks, mention.record->rank);
                      });
    if (fits) return &draft;
  }
  return nullptr;
}

absl::StatusOr<std::vector<Draft>> DraftsOf(std::span<const RankRecord* const> records,
                                            QueryBudget* budget) {
  std::map<std::pair<std::string, std::string>, std::vector<Draft>> by_name;
  for (const RankRecord* const record : records) {
    for (uint32_t i = 0; i < record->groups.size(); ++i) {
      const GroupRecord& group = record->groups[i];
      std::pair key(std::string(record->Text(group.name)),
                    std::string(record->Text(group.description)));
      std::vector<Draft>& drafts = by_name[key];
      // A vector that grows holds twice what it needs.
      LOCKSTEP_RETURN_IF_ERROR(Charge(budget, 2 * sizeof(Mention)));
      Draft* draft = FindDraft(drafts, *record, group);
      if (draft == nullptr) {
        LOCKSTEP_RETURN_IF_ERROR(Charge(
            budget, 2 * (sizeof(Draft) + kNodeBytes + key.first.size() + key.second.size())));
        drafts.push_back({key.first, key.second, {}, {}});
        draft = &drafts.back();
      }
      if (draft->order.empty()) {
        LOCKSTEP_RETURN_IF_ERROR(Charge(budget, sizeof(int32_t) * group.ranks.size()));
        draft->order = group.ranks;
      }
      draft->mentions.push_back({record, i});
    }
  }
  std::vector<Draft> all;
  for (auto& [key, drafts] : by_name) {
    std::ranges::move(drafts, std::back_inserter(all));
  }
  return all;
}

std::set<int32_t> RanksOfDraft(const Draft& draft, const std::set<int32_t>& world) {
  std::set<int32_t> ranks(draft.order.begin(), draft.order.end());
  if (draft.order.empty() && draft.description == kDefaultDescription) ranks = world;
  for (const Mention& mention : draft.mentions) ranks.insert(mention.record->rank);
  return ranks;
}

Member MemberOf(int32_t rank, const std::map<int32_t, const RankRecord*>& records,
                const std::map<int32_t, uint32_t>& groups) {
  Member member{.rank = rank};
  if (const auto found = records.find(rank); found != records.end()) member.record = found->second;
  if (member.record == nullptr) return member;
  const auto group = groups.find(rank);
  if (group != groups.end()) {
    const GroupRecord& own = member.record->groups[group->second];
    member.group_in_record = group->second;
    member.last_entered = own.last_entered;
    member.first_kept = own.first_kept;
  } else if (!member.record->is_wrapped) {
    member.last_entered = 0;
  }
  return member;
}

// All ranks of the job.
absl::StatusOr<std::set<int32_t>> WorldOf(std::span<const RankRecord* const> records,
                                          std::span<const int32_t> ranks,
                                          std::span<const Draft> drafts, QueryBudget* budget) {
  LOCKSTEP_RETURN_IF_ERROR(Charge(budget, kNodeBytes * (ranks.size() + records.size())));
  std::set<int32_t> world(ranks.begin(), ranks.end());
  for (const RankRecord* const record : records) world.insert(record->rank);
  for (const Draft& draft : drafts) {
    const size_t known = world.size();
    world.insert(draft.order.begin(), draft.order.end());
    LOCKSTEP_RETURN_IF_ERROR(Charge(budget, kNodeBytes * (world.size() - known)));
  }
  return world;
}

}  // namespace

absl::StatusOr<std::vector<JobGroup>> JoinGroups(std::span<const RankRecord* const> records,
                                                 std::span<const int32_t> ranks,
                                                 QueryBudget* budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Draft> drafts, DraftsOf(records, budget));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::set<int32_t> world, WorldOf(records, ranks, drafts, budget));
  LOCKSTEP_RETURN_IF_ERROR(Charge(budget, kNodeBytes * records.size()));
  std::map<int32_t, const RankRecord*> by_rank;
  for (const RankRecord* const record : records) by_rank.emplace(record->rank, record);
  std::vector<JobGroup> groups;
  for (Draft& draft : drafts) {
    const bool is_world = draft.order.empty() && draft.description == kDefaultDescription;
    const size_t count = (is_world ? world.size() : draft.order.size()) + draft.mentions.size();
    const size_t passing = kNodeBytes * (count + draft.mentions.size());
    LOCKSTEP_RETURN_IF_ERROR(
        Charge(budget, passing + 2 * sizeof(JobGroup) + sizeof(Member) * count));
    std::map<int32_t, uint32_t> group_of_rank;
    for (const Mention& mention : draft.mentions) {
      group_of_rank.emplace(mention.record->rank, mention.group);
    }
    const std::set<int32_t> members = RanksOfDraft(draft, world);
    JobGroup group{.name = std::move(draft.name),
                   .description = std::move(draft.description),
                   .order = std::move(draft.order),
                   .members = {}};
    group.members.reserve(members.size());
    for (const int32_t rank : members) {
      group.members.push_back(MemberOf(rank, by_rank, group_of_rank));
    }
    groups.push_back(std::move(group));
    if (budget != nullptr) budget->ReleaseText(static_cast<int64_t>(passing));
  }
  return groups;
}

}  // namespace lockstep::hang

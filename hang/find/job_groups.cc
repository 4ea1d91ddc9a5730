#include "hang/find/job_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lockstep::hang {
namespace {

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

std::vector<Draft> DraftsOf(std::span<const RankRecord* const> records) {
  std::map<std::pair<std::string, std::string>, std::vector<Draft>> by_name;
  for (const RankRecord* const record : records) {
    for (uint32_t i = 0; i < record->groups.size(); ++i) {
      const GroupRecord& group = record->groups[i];
      std::pair key(std::string(record->Text(group.name)),
                    std::string(record->Text(group.description)));
      std::vector<Draft>& drafts = by_name[key];
      Draft* draft = FindDraft(drafts, *record, group);
      if (draft == nullptr) {
        drafts.push_back({key.first, key.second, group.ranks, {}});
        draft = &drafts.back();
      }
      if (draft->order.empty()) draft->order = group.ranks;
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

}  // namespace

std::vector<JobGroup> JoinGroups(std::span<const RankRecord* const> records,
                                 std::span<const int32_t> ranks) {
  std::vector<Draft> drafts = DraftsOf(records);
  std::map<int32_t, const RankRecord*> by_rank;
  std::set<int32_t> world(ranks.begin(), ranks.end());
  for (const RankRecord* const record : records) {
    by_rank.emplace(record->rank, record);
    world.insert(record->rank);
  }
  for (const Draft& draft : drafts) world.insert(draft.order.begin(), draft.order.end());
  std::vector<JobGroup> groups;
  for (Draft& draft : drafts) {
    std::map<int32_t, uint32_t> group_of_rank;
    for (const Mention& mention : draft.mentions) {
      group_of_rank.emplace(mention.record->rank, mention.group);
    }
    JobGroup group{
        .name = draft.name, .description = draft.description, .order = draft.order, .members = {}};
    for (const int32_t rank : RanksOfDraft(draft, world)) {
      group.members.push_back(MemberOf(rank, by_rank, group_of_rank));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace lockstep::hang

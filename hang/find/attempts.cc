#include "hang/find/attempts.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"

namespace lockstep::hang {
namespace {

// Ranks enter a collective at different times, and clocks differ; both by less than this.
constexpr int64_t kSameTimeMs = 30'000;
// Of a collective, where the dump does not say it: PyTorch's for NCCL.
constexpr int64_t kTimeoutMs = 600'000;

using Key = std::pair<size_t, int64_t>;  // a hash of the group's name, and a sequence

Key KeyOf(const RankRecord& record, const Operation& operation) {
  const std::string_view name = record.Text(record.groups[operation.group].name);
  return {std::hash<std::string_view>()(name), operation.sequence};
}

int64_t TimeoutOf(const RankRecord& record) {
  int64_t timeout_ms = 0;
  for (const Operation& one : record.operations) timeout_ms = std::max(timeout_ms, one.timeout_ms);
  return timeout_ms > 0 ? timeout_ms : kTimeoutMs;
}

// The dump with the newest operation, which others are compared with.
class Reference {
 public:
  explicit Reference(const RankRecord& record) : record_(record), timeout_ms_(TimeoutOf(record)) {
    for (const Operation& operation : record.operations) {
      if (operation.is_p2p || operation.created_ms == 0) continue;
      times_.emplace(KeyOf(record, operation), operation.created_ms);
      first_ms_ = first_ms_ == 0 ? operation.created_ms : std::min(first_ms_, operation.created_ms);
    }
  }

  // Why the record belongs to an earlier attempt; "" if it does not.
  std::string WhyEarlier(const RankRecord& other, bool& has_other_clock) const {
    const std::optional<int64_t> offset_ms = OffsetOf(other);
    if (!offset_ms.has_value()) {
      const int64_t gap_ms = first_ms_ - other.newest_ms;
      if (first_ms_ == 0 || other.newest_ms == 0 || gap_ms <= timeout_ms_ + kSameTimeMs) return "";
      return absl::StrFormat("its last operation began %d s before the first of the newest dump",
                             gap_ms / 1000);
    }
    if (std::abs(*offset_ms) <= kSameTimeMs) return "";
    if (std::abs(*offset_ms) < timeout_ms_ && CameAsFar(other)) {
      has_other_clock = true;
      return "";
    }
    return absl::StrFormat("its operations began %d s before the same ones of the newest dump",
                           *offset_ms / 1000);
  }

 private:
  // How much earlier the record has the same operations; the median.
  std::optional<int64_t> OffsetOf(const RankRecord& other) const {
    std::vector<int64_t> offsets_ms;
    for (const Operation& operation : other.operations) {
      if (operation.is_p2p || operation.created_ms == 0) continue;
      const auto found = times_.find(KeyOf(other, operation));
      if (found != times_.end()) offsets_ms.push_back(found->second - operation.created_ms);
    }
    if (offsets_ms.empty()) return std::nullopt;
    const auto middle = offsets_ms.begin() + static_cast<ptrdiff_t>(offsets_ms.size() / 2);
    std::ranges::nth_element(offsets_ms, middle);
    return *middle;
  }

  // Ranks of one attempt stop at the same collective or at neighbours; another attempt, which ran
  // for another time, does not.
  bool CameAsFar(const RankRecord& other) const {
    for (const GroupRecord& group : other.groups) {
      for (const GroupRecord& own : record_.groups) {
        if (other.Text(group.name) != record_.Text(own.name)) continue;
        if (!group.last_entered.has_value() || !own.last_entered.has_value()) continue;
        if (std::abs(*group.last_entered - *own.last_entered) > 1) return false;
      }
    }
    return true;
  }

  const RankRecord& record_;
  const int64_t timeout_ms_;
  int64_t first_ms_ = 0;
  absl::flat_hash_map<Key, int64_t> times_;
};

}  // namespace

NewestAttempt SelectNewestAttempt(std::span<const RankRecord> records) {
  NewestAttempt attempt;
  const RankRecord* newest = nullptr;
  for (const RankRecord& record : records) {
    if (!record.has_dump()) continue;
    if (newest == nullptr || record.newest_ms > newest->newest_ms) newest = &record;
  }
  if (newest == nullptr) return attempt;
  const Reference reference(*newest);
  size_t other_clocks = 0;
  for (const RankRecord& record : records) {
    if (!record.has_dump()) continue;
    bool has_other_clock = false;
    const std::string why = reference.WhyEarlier(record, has_other_clock);
    if (!why.empty()) {
      attempt.set_aside.push_back({record.rank, why});
      continue;
    }
    if (has_other_clock) ++other_clocks;
    attempt.records.push_back(&record);
  }
  std::ranges::sort(attempt.records, {}, [](const RankRecord* one) { return one->rank; });
  if (other_clocks > 0) {
    attempt.remarks.push_back(absl::StrFormat(
        "the clocks of %d ranks differ by more than %d s from that of the newest dump",
        other_clocks, kSameTimeMs / 1000));
  }
  return attempt;
}

}  // namespace lockstep::hang

#include "storage/db/read/cardinality_walk.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "model/tenant.h"
#include "storage/db/read/matched_series.h"
#include "storage/db/series/group_name.h"

namespace lockstep {
namespace {

constexpr uint32_t kPartsPerLock = 256;
constexpr size_t kSeriesPerLock = 4096;

using Counts = absl::flat_hash_map<uint32_t, uint64_t>;  // by target or metric

// The `count_of` of each target or metric, and their sum.
template <typename CountOf>
uint64_t AddParts(const ShardState& shard, const LabelSets& parts, CountOf count_of,
                  CardinalityCounter& counter) {
  uint64_t sum = 0;
  for (uint64_t first = 0;; first += kPartsPerLock) {
    ReaderLock lock(shard.mutex);
    if (first >= parts.id_end()) return sum;
    const auto begin = static_cast<uint32_t>(first);
    parts.ForEachFrom(begin, begin + kPartsPerLock - 1, [&](uint32_t id, const LabelSet& labels) {
      const uint64_t count = count_of(id);
      counter.Add(labels, count);
      sum += count;
    });
  }
}

void AddCounted(const ShardState& shard, const LabelSets& parts, const Counts& counts,
                CardinalityCounter& counter) {
  auto next = counts.begin();
  while (next != counts.end()) {
    ReaderLock lock(shard.mutex);
    for (uint32_t i = 0; i < kPartsPerLock && next != counts.end(); ++i, ++next) {
      if (parts.Has(next->first)) counter.Add(parts.LabelsOf(next->first), next->second);
    }
  }
}

// The index may only be read under the lock.
const SeriesIndex& IndexOf(const ShardState& shard) {
  ReaderLock lock(shard.mutex);
  return shard.dictionary.index();
}

// A head that is not frozen may only be read under the lock.
struct Heads {
  std::shared_ptr<const Head> active;
  std::shared_ptr<const Head> frozen;

  bool Contain(SeriesId id) const {
    return active->Contains(id) || (frozen != nullptr && frozen->Contains(id));
  }
};

Heads HeadsOf(const ShardState& shard) {
  ReaderLock lock(shard.mutex);
  return {shard.active, shard.frozen};
}

// The number of series in `head` with samples that are not in `other`, which may be null.
uint64_t CountSeries(const ShardState& shard, const Head& head, const Head* other) {
  uint64_t count = 0;
  for (size_t first = 0;; first += kSeriesPerLock) {
    ReaderLock lock(shard.mutex);
    const size_t end = std::min(first + kSeriesPerLock, head.slot_count());
    if (first >= end) return count;
    for (size_t slot = first; slot < end; ++slot) {
      const SeriesId id = head.IdOfSlot(slot);
      const bool is_new = head.Contains(id) && (other == nullptr || !other->Contains(id));
      count += is_new ? 1 : 0;
    }
  }
}

std::vector<ChurnCount> Largest(const StringMap<ChurnCount>& churn, size_t limit) {
  std::vector<ChurnCount> rows;
  for (const auto& [name, count] : churn) {
    if (!name.empty()) rows.push_back({name, count.appeared, count.left});
  }
  std::sort(rows.begin(), rows.end(), [](const ChurnCount& a, const ChurnCount& b) {
    const uint64_t a_sum = a.appeared + a.left, b_sum = b.appeared + b.left;
    return a_sum != b_sum ? a_sum > b_sum : a.name < b.name;
  });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

void AddTo(ChurnCount& sum, const ChurnCount& more) {
  sum.appeared += more.appeared;
  sum.left += more.left;
}

}  // namespace

absl::Status CardinalityWalk::Add(const ShardState& shard) {
  AddChurn(shard);
  if (query_.matcher_sets.empty()) {
    AddAll(shard);
    return absl::OkStatus();
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> ids,
                            MatchedSeries(shard, query_.matcher_sets));
  AddSelected(shard, ids);
  return absl::OkStatus();
}

void CardinalityWalk::AddAll(const ShardState& shard) {
  const SeriesIndex& index = IndexOf(shard);
  const SeriesTable& series = index.series();
  stats_.series_count += AddParts(
      shard, index.targets(), [&](TargetId id) { return series.OfTarget(id).size(); }, counter_);
  AddParts(
      shard, index.metrics(), [&](MetricId id) { return series.OfMetric(id).size(); }, counter_);
  const Heads heads = HeadsOf(shard);
  stats_.head_series_count += CountSeries(shard, *heads.active, nullptr);
  if (heads.frozen != nullptr) {
    stats_.head_series_count += CountSeries(shard, *heads.frozen, heads.active.get());
  }
}

void CardinalityWalk::AddSelected(const ShardState& shard, const std::vector<SeriesId>& ids) {
  const SeriesIndex& index = IndexOf(shard);
  const Heads heads = HeadsOf(shard);
  Counts targets, metrics;
  for (size_t first = 0; first < ids.size(); first += kSeriesPerLock) {
    ReaderLock lock(shard.mutex);
    const size_t end = std::min(first + kSeriesPerLock, ids.size());
    for (size_t i = first; i < end; ++i) {
      if (!index.Contains(ids[i])) continue;
      const SeriesParts parts = index.series().PartsOf(ids[i]);
      ++targets[parts.target];
      ++metrics[parts.metric];
      ++stats_.series_count;
      stats_.head_series_count += heads.Contain(ids[i]) ? 1 : 0;
    }
  }
  AddCounted(shard, index.targets(), targets, counter_);
  AddCounted(shard, index.metrics(), metrics, counter_);
}

// Decided by the matchers on tenants, jobs and names.
bool CardinalityWalk::MatchesFamily(std::string_view tenant, std::string_view job,
                                    std::string_view metric) const {
  if (query_.matcher_sets.empty()) return true;
  return std::any_of(
      query_.matcher_sets.begin(), query_.matcher_sets.end(), [&](const auto& matchers) {
        return std::all_of(matchers.begin(), matchers.end(), [&](const Matcher& matcher) {
          if (matcher.name() == "job") return matcher.Matches(job);
          if (matcher.name() == kTenantLabel) return matcher.Matches(tenant);
          return matcher.name() != kMetricName || matcher.Matches(metric);
        });
      });
}

void CardinalityWalk::AddChurn(const ShardState& shard) {
  ReaderLock lock(shard.mutex);
  const SeriesChurn& churn = shard.dictionary.churn();
  stats_.churn_since_ms = churn.since_ms();
  for (size_t span = 0; span < kChurnSpanCount; ++span) {
    churn.ForEach(span, now_ms_,
                  [&](std::string_view group, std::string_view metric, const ChurnCount& count) {
                    const auto [tenant, job] = PartsOfGroupName(group);
                    if (!MatchesFamily(tenant, job, metric)) return;
                    AddTo(stats_.churn[span].total, count);
                    AddTo(churn_by_job_[span][job], count);
                    AddTo(churn_by_metric_[span][metric], count);
                  });
  }
}

CardinalityStats CardinalityWalk::Take() {
  counter_.ListLargest(query_.limit, stats_);
  for (size_t span = 0; span < kChurnSpanCount; ++span) {
    stats_.churn[span].by_job = Largest(churn_by_job_[span], query_.limit);
    stats_.churn[span].by_metric_name = Largest(churn_by_metric_[span], query_.limit);
  }
  return std::move(stats_);
}

}  // namespace lockstep

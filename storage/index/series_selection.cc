#include "storage/index/series_selection.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "storage/index/id_set.h"

namespace lockstep {
namespace {

// How many targets or metrics are visited between two checks of the budget.
constexpr size_t kPartsCheckInterval = 256;
// Costs, in steps of a walk over all series: reaching one target, finding a metric among its
// series, and putting a found series into its place.
constexpr size_t kStepsPerTarget = 16;
constexpr size_t kStepsPerSearch = 8;
constexpr size_t kStepsPerSorted = 8;

class PartsSelector {
 public:
  PartsSelector(const SeriesTable& series, const SelectedParts& parts, const QueryBudget* budget)
      : series_(series), parts_(parts), budget_(budget) {}

  absl::StatusOr<Postings> Run() {
    const size_t walk_steps = series_.size();
    const size_t metric_steps = parts_.metrics ? StepsByMetric() : SIZE_MAX;
    const size_t target_steps = parts_.targets ? StepsByTarget() : SIZE_MAX;
    absl::Status status;
    if (walk_steps <= std::min(metric_steps, target_steps)) {
      Walk();
    } else if (metric_steps <= target_steps) {
      status = ByMetric();
    } else {
      status = ByTarget();
    }
    LOCKSTEP_RETURN_IF_ERROR(status);
    return std::move(ids_);
  }

 private:
  size_t StepsByMetric() const {
    size_t count = 0;
    for (const MetricId metric : *parts_.metrics) count += series_.OfMetric(metric).size();
    // Merging lists two by two moves each series once per round.
    return count * (1 + static_cast<size_t>(std::bit_width(parts_.metrics->size())));
  }

  size_t StepsByTarget() const {
    size_t steps = 0;
    for (const TargetId target : *parts_.targets) {
      const size_t count = series_.OfTarget(target).size();
      steps += kStepsPerTarget + (parts_.metrics ? std::min(count, SearchSteps()) + kStepsPerSorted
                                                 : count * kStepsPerSorted);
    }
    return steps;
  }
  size_t SearchSteps() const { return parts_.metrics->size() * kStepsPerSearch; }

  void Walk() {
    const IdSet targets(parts_.targets ? PostingsView(*parts_.targets) : PostingsView());
    const IdSet metrics(parts_.metrics ? PostingsView(*parts_.metrics) : PostingsView());
    if (!parts_.targets && !parts_.metrics) ids_.reserve(series_.size());
    series_.ForEach([&](SeriesId id, SeriesParts of) {
      if (parts_.targets && !targets.Has(of.target)) return;
      if (parts_.metrics && !metrics.Has(of.metric)) return;
      ids_.push_back(id);
    });
  }

  absl::Status ByMetric() {
    std::vector<PostingsView> lists;
    lists.reserve(parts_.metrics->size());
    for (const MetricId metric : *parts_.metrics) lists.push_back(series_.OfMetric(metric));
    ids_ = UnionOfDisjoint(lists);
    LOCKSTEP_RETURN_IF_ERROR(CheckBudget());
    if (!parts_.targets) return absl::OkStatus();
    const IdSet targets(*parts_.targets);
    std::erase_if(ids_, [&](SeriesId id) { return !targets.Has(series_.PartsOf(id).target); });
    return absl::OkStatus();
  }

  absl::Status ByTarget() {
    const IdSet metrics(parts_.metrics ? PostingsView(*parts_.metrics) : PostingsView());
    size_t looked_at = 0;
    for (const TargetId target : *parts_.targets) {
      if (looked_at++ % kPartsCheckInterval == 0) LOCKSTEP_RETURN_IF_ERROR(CheckBudget());
      const std::span<const TargetSeries> of_target = series_.OfTarget(target);
      if (parts_.metrics && SearchSteps() < of_target.size()) {
        for (const MetricId metric : *parts_.metrics) {
          if (const auto id = series_.Find({target, metric})) ids_.push_back(*id);
        }
        continue;
      }
      for (const TargetSeries& one : of_target) {
        if (!parts_.metrics || metrics.Has(one.metric)) ids_.push_back(one.id);
      }
    }
    if (!std::is_sorted(ids_.begin(), ids_.end())) std::sort(ids_.begin(), ids_.end());
    return absl::OkStatus();
  }

  absl::Status CheckBudget() const {
    return budget_ == nullptr ? absl::OkStatus() : budget_->Check();
  }

  const SeriesTable& series_;
  const SelectedParts& parts_;
  const QueryBudget* const budget_;
  Postings ids_;
};

}  // namespace

absl::StatusOr<Postings> SelectSeries(const SeriesTable& series, const SelectedParts& parts,
                                      const QueryBudget* budget) {
  return PartsSelector(series, parts, budget).Run();
}

}  // namespace lockstep

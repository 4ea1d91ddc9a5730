#include "answers/load/known_ranks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/step_history.h"
#include "base/status.h"
#include "identity/registration.h"
#include "model/matcher.h"

namespace lockstep::answers {
namespace {

class RankFinder {
 public:
  RankFinder(const std::string& job, const TimeRange& time, const LoadContext& context)
      : job_(job), time_(time), context_(context) {}

  absl::StatusOr<KnownRanks> Find();

 private:
  struct Rank {
    training::RankPlace place = {};
    std::string gpu_model = {};
  };

  absl::Status ReadLabels();
  void Learn(const LabelSet& labels);
  void LearnSharedGpus();
  absl::Status ReadIdentity();
  KnownRanks Take();

  const std::string& job_;
  const TimeRange& time_;
  const LoadContext& context_;
  std::map<int64_t, Rank> ranks_;
  std::vector<LabelSet> shared_gpus_;  // labels of device series without a rank, one per GPU
  bool is_known_ = false;
  bool is_registered_ = false;
  NumberingRank numbering_rank_;
  bool has_numbers_without_rank_ = false;
  KnownRanks known_;
};

// Learns about a rank from the labels of the job's own series.
void RankFinder::Learn(const LabelSet& labels) {
  if (labels.metric_name() == identity::kRankInfoMetric) is_registered_ = true;
  const std::optional<catalogue::NameRole> name = RoleOf(labels);
  if (!name.has_value()) return;
  const bool is_of_steps = IsStepRole(name->role);
  if (!is_of_steps && !IsDeviceRole(name->role)) return;
  const SeriesOrigin origin = OriginOf(labels);
  const bool is_number = name->role == catalogue::Role::kTrainStep;
  is_known_ = is_known_ || is_of_steps || origin.rank.has_value();
  if (is_number && !origin.rank.has_value()) has_numbers_without_rank_ = true;
  if (!origin.rank.has_value()) {
    if (!is_of_steps) AddSharedGpu(labels, shared_gpus_);
    return;
  }
  if (is_number) numbering_rank_.Learn(*origin.rank, origin.attempt);
  Rank& rank = ranks_[*origin.rank];
  LearnPlace(origin, rank.place, rank.gpu_model);
}

// If ranks share a GPU, the series of the GPU name the job but no rank.
void RankFinder::LearnSharedGpus() {
  for (auto& [number, rank] : ranks_) LearnSharedGpu(shared_gpus_, rank.place, rank.gpu_model);
}

absl::Status RankFinder::ReadLabels() {
  const std::vector<Matcher> matchers = {Matcher::Equal("job", job_)};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto set,
                            context_.querier.Select({matchers, time_, &context_.budget}));
  while (set->Next()) Learn(set->labels());
  return set->status();
}

// Registrations, schedulers and containers reveal GPUs whose series do not name the job.
absl::Status RankFinder::ReadIdentity() {
  const bool is_complete = !ranks_.empty() && std::ranges::all_of(ranks_, [](const auto& rank) {
    return !rank.second.place.gpu.empty() || !rank.second.place.gpu_uuid.empty();
  });
  if (is_complete && !is_registered_) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(
      identity::JobIdentity said,
      identity::ReadJobIdentity({context_.querier, WithinReach(time_), &context_.budget}, job_));
  known_.world_size = said.world_size.value_or(0);
  known_.placements = std::move(said.placements);
  for (const identity::Placement& placement : known_.placements) {
    is_known_ = true;
    Rank& rank = ranks_[placement.rank];
    LearnPlace({.rank = placement.rank,
                .attempt = {},
                .host = placement.seat.host,
                .gpu = placement.seat.gpu,
                .gpu_uuid = placement.seat.uuid,
                .gpu_model = placement.seat.model},
               rank.place, rank.gpu_model);
    const auto& [stage, tp, dp, ep, pp, cp] = placement.coordinates;
    rank.place.stage = stage.value_or(pp.value_or(rank.place.stage));
    rank.place.expert_group = ep.value_or(rank.place.expert_group);
  }
  return absl::OkStatus();
}

KnownRanks RankFinder::Take() {
  if (ranks_.empty()) ranks_[0] = {};
  for (auto& [number, rank] : ranks_) {
    known_.gpu_models.push_back(std::move(rank.gpu_model));
    known_.places.push_back(std::move(rank.place));
  }
  if (numbering_rank_.rank().has_value()) {
    known_.numbering_rank = absl::StrFormat("%d", *numbering_rank_.rank());
  } else if (has_numbers_without_rank_) {
    known_.numbering_rank = "";
  }
  return std::move(known_);
}

absl::StatusOr<KnownRanks> RankFinder::Find() {
  LOCKSTEP_RETURN_IF_ERROR(ReadLabels());
  LearnSharedGpus();
  LOCKSTEP_RETURN_IF_ERROR(ReadIdentity());
  if (!is_known_) {
    return absl::NotFoundError(
        absl::StrFormat("no data for training job \"%s\" in that time range", job_));
  }
  return Take();
}

}  // namespace

std::optional<size_t> KnownRanks::RowOf(int64_t rank) const {
  const auto place = std::ranges::lower_bound(places, rank, {}, &training::RankPlace::rank);
  if (place == places.end() || place->rank != rank) return std::nullopt;
  return static_cast<size_t>(place - places.begin());
}

std::optional<size_t> KnownRanks::RowOf(const SeriesOrigin& origin) const {
  return origin.rank.has_value() ? RowOf(*origin.rank) : std::optional<size_t>(0);
}

std::vector<size_t> KnownRanks::RowsOn(const SeriesOrigin& origin) const {
  std::vector<size_t> rows;
  for (size_t row = 0; row < places.size(); ++row) {
    if (IsOn(origin, places[row])) rows.push_back(row);
  }
  return rows;
}

absl::StatusOr<KnownRanks> FindRanks(const std::string& job, const TimeRange& time,
                                     const LoadContext& context) {
  return RankFinder(job, time, context).Find();
}

}  // namespace lockstep::answers

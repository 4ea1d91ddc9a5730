#include "answers/heat_map.h"

#include <algorithm>
#include <utility>

#include "answers/load/job_loader.h"
#include "base/status.h"
#include "storage/storage.h"

namespace lockstep::answers {
namespace {

// For each of the matrices: in the answer, and before ranks share rows.
constexpr size_t kMostShownCells = 500'000;
constexpr size_t kMostCellsOfRanks = 4'000'000;

std::vector<PictureRow> RowsOf(const training::Job& job, const std::vector<size_t>& first_row) {
  std::vector<PictureRow> rows;
  for (size_t group = 0; group < first_row.size(); ++group) {
    const size_t end = group + 1 < first_row.size() ? first_row[group + 1] : job.ranks.size();
    rows.push_back(
        {.first_rank = job.ranks[first_row[group]].rank, .last_rank = job.ranks[end - 1].rank});
  }
  return rows;
}

void DrawRanks(const LoadedJob& job, const HeatMapQuestion& question, JobHeatMap& map) {
  const size_t ranks = job.job.ranks.size();
  const size_t rows = std::min(question.rows, ranks);
  const size_t most_bins = std::min(kMostShownCells / rows, kMostCellsOfRanks / ranks);
  const size_t bins = std::clamp<size_t>(most_bins, 1, question.bins);
  RankPicture picture = question.is_over_steps ? PictureOverSteps(job, question.metric, bins)
                                               : PictureOverTime(job, question.metric, bins);
  training::RowGroups groups = training::GroupRows(picture.cells, rows);
  map.bins = std::move(picture.bins);
  map.rows = RowsOf(job.job, groups.first_row);
  map.cells = std::move(groups.cells);
  if (rows < ranks) map.furthest = std::move(groups.furthest);
}

// Interfaces never share rows.
void DrawLinks(const LoadedJob& job, const HeatMapQuestion& question, JobHeatMap& map) {
  const size_t most_bins = kMostShownCells / std::max<size_t>(1, job.links.size());
  const size_t bins = std::clamp<size_t>(most_bins, 1, question.bins);
  LinkPicture picture = LinkPictureOf(job, *question.metric.link, bins);
  map.bins = std::move(picture.bins);
  map.rows = std::move(picture.rows);
  map.cells = std::move(picture.cells);
}

void KeepOnly(PictureValue value, training::PictureCells& cells) {
  if (value != PictureValue::kLowest) cells.lowest = {};
  if (value != PictureValue::kHighest) cells.highest = {};
  if (value != PictureValue::kLast) cells.last = {};
  if (value != PictureValue::kMean) cells.mean = {};
  if (value != PictureValue::kCount) cells.count = {};
}

}  // namespace

absl::StatusOr<JobHeatMap> AnswerHeatMap(const HeatMapQuestion& question,
                                         const QuestionContext& context) {
  const JobQuery query{.name = question.job.name,
                       .time = question.job.time,
                       .attempt = question.job.attempt,
                       .needs = NeedsOf(question.metric)};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const LoadContext load{*querier, context.pool, context.budget};
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, LoadJob(query, load));
  JobHeatMap map{.subject = SubjectOf(job),
                 .metric = question.metric,
                 .is_over_steps = question.is_over_steps};
  LOCKSTEP_ASSIGN_OR_RETURN(map.metrics, PictureMetricsOf(query, load));
  if (question.metric.link.has_value()) {
    DrawLinks(job, question, map);
  } else {
    DrawRanks(job, question, map);
  }
  if (question.only.has_value()) KeepOnly(*question.only, map.cells);
  return map;
}

}  // namespace lockstep::answers

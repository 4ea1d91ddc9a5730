// A picture of one metric of a job: ranks or interfaces in rows, steps or time in columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/heat_map/link_picture.h"
#include "answers/heat_map/rank_picture.h"
#include "answers/heat_map/time_bins.h"
#include "answers/question.h"
#include "training/row_groups.h"

namespace lockstep::answers {

// The matrices of training::PictureCells.
enum class PictureValue { kLowest, kHighest, kLast, kMean, kCount };

struct HeatMapQuestion {
  JobQuestion job;
  PictureMetric metric;
  bool is_over_steps = false;             // always false for a metric of interfaces
  size_t bins = 200;                      // at least 1; a large picture has fewer
  size_t rows = SIZE_MAX;                 // at least 1; if there are more ranks, they share rows
  std::optional<PictureValue> only = {};  // empty: all
};

struct JobHeatMap {
  Subject subject;
  PictureMetric metric;
  bool is_over_steps = false;
  std::vector<PictureBin> bins = {};
  std::vector<PictureRow> rows = {};
  training::PictureCells cells = {};      // those that the question does not ask for are empty
  training::RankMatrix furthest = {};     // see training::RowGroups; empty if no ranks share rows
  std::vector<std::string> metrics = {};  // those for which the job has data
};

absl::StatusOr<JobHeatMap> AnswerHeatMap(const HeatMapQuestion& question,
                                         const QuestionContext& context);

}  // namespace lockstep::answers

// When the steps of a job ended, and how evenly they follow one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "answers/question.h"
#include "training/job/job.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::answers {

struct StepsQuestion {
  JobQuestion job;
  size_t points = 2000;  // at most so many steps of each attempt
};

// The last four columns have an element for each step shown.
struct AttemptSteps {
  size_t attempt = 0;
  std::optional<int64_t> first_step = {};  // of all steps; empty if none are stored
  std::optional<int64_t> last_step = {};
  double median_seconds = training::kUnknown;
  double spread_seconds = training::kUnknown;  // see training::Pacing
  std::vector<int64_t> step = {};
  std::vector<int64_t> end_ms = {};
  std::vector<double> step_seconds = {};
  std::vector<double> behind_seconds = {};  // see training::Pacing
};

struct JobSteps {
  std::string job;
  TimeRange time;                      // of all attempts
  std::vector<AttemptSteps> attempts;  // in time order, at least one
};

// Includes steps that some ranks have not reported yet.
absl::StatusOr<JobSteps> AnswerSteps(const StepsQuestion& question, const QuestionContext& context);

struct StepEndsQuestion {
  JobQuestion job;
  // All default to the whole attempt, with as few steps left out as `most_points` allows.
  std::optional<int64_t> first_step = {};
  std::optional<int64_t> last_step = {};
  std::optional<int64_t> stride = {};
  int64_t most_points = 2000;
};

// Three columns. A point is about all steps after the point before it.
struct StepEnds {
  std::vector<int64_t> step = {};
  std::vector<int64_t> begin_ms = {};  // of the first step of the point, see training::StepBeginMs
  std::vector<int64_t> end_ms = {};
};

// The ends of every `stride`-th step, or of the next one where that is missing. Only steps that all
// reporting ranks have reported. Returns kNotFound if the job has no steps, and kInvalidArgument if
// the range is reversed or has too many points.
absl::StatusOr<StepEnds> AnswerStepEnds(const StepEndsQuestion& question,
                                        const QuestionContext& context);

}  // namespace lockstep::answers

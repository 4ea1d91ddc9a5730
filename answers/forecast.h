// When a job will be done and what it will have cost, whether its memory suffices, and how often it
// should write checkpoints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "answers/prices.h"
#include "answers/question.h"
#include "training/forecast/checkpoints.h"
#include "training/forecast/memory_headroom.h"
#include "training/forecast/pace.h"

namespace lockstep::answers {

struct ForecastOptions {
  double total_steps = 0;   // 0: as planned by the trainer
  double total_tokens = 0;  // 0: not given; goes before steps
  double mtbf_hours = 0;    // mean time between interruptions; 0: as the job's own history says
};

struct ForecastQuestion {
  JobQuestion job;
  Prices prices = {};
  ForecastOptions options = {};
};

struct JobForecast {
  Subject subject;
  bool is_running = false;
  int64_t as_of_ms = 0;  // now, or the end of the job's data

  training::Pace pace = {};
  double steps_left = training::kUnknown;
  training::TimeLeft left = {};  // from `as_of_ms` on
  std::string reason = {};       // why the end is unknown; "" if it is known

  // Of all attempts, in the currency of the prices; unknown without a price.
  double gpu_hours = training::kUnknown;
  double gpu_hours_left = training::kUnknown;
  double price_per_gpu_hour = training::kUnknown;
  double kwh = training::kUnknown;
  double kwh_left = training::kUnknown;
  double price_per_kwh = training::kUnknown;
  std::string currency = {};

  training::MemoryHeadroom memory = {};

  training::Checkpoints checkpoints = {};
  training::Interruptions interruptions = {};
  // Given, or of the history; the least that it can be if the history has no interruption.
  double mean_seconds_between = training::kUnknown;
  double best_interval_seconds = training::kUnknown;
  double best_interval_steps = training::kUnknown;
  double lost_share = training::kUnknown;  // of time, at the present interval
  double best_lost_share = training::kUnknown;

  double Cost() const;      // until now, GPUs and electricity, as far as there are prices
  double CostLeft() const;  // from now on
};

JobNeeds ForecastNeeds();

// `attempts` are in time order, at least one, and were loaded with ForecastNeeds().
JobForecast ForecastOf(const std::vector<LoadedJob>& attempts, const Prices& prices,
                       const ForecastOptions& options, int64_t now_ms);

absl::StatusOr<JobForecast> AnswerForecast(const ForecastQuestion& question,
                                           const QuestionContext& context);

}  // namespace lockstep::answers

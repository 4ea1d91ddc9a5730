// The share of peak operations that trained a job's model, its speed, and when it will be done.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "answers/question.h"
#include "training/devices/gpu_catalogue.h"
#include "training/efficiency/efficiency.h"
#include "training/efficiency/flops.h"

namespace lockstep::answers {

struct EfficiencyOptions {
  training::Precision precision = training::Precision::kBf16;
  training::FlopsConvention convention = training::FlopsConvention::kReported;
  training::ModelShape shape = {};  // the given parameters; the job provides the rest
  bool recomputes_fully = false;
  double total_tokens = 0;     // 0: not given
  std::string gpu_model = {};  // "": from the devices
};

struct EfficiencyQuestion {
  JobQuestion job;
  EfficiencyOptions options = {};
};

struct JobEfficiency {
  Subject subject;
  training::EfficiencyAnswer answer;
  training::Precision precision = training::Precision::kBf16;  // of the peak
  // As trainers report them; otherwise, from the model's shape and the number of steps.
  double tokens_per_second = training::kUnknown;
  double tokens_per_second_per_gpu = training::kUnknown;
  double samples_per_second = training::kUnknown;
  double consumed_tokens = training::kUnknown;
  double consumed_samples = training::kUnknown;
  double eta_seconds = training::kUnknown;  // until EfficiencyOptions::total_tokens are consumed
};

JobNeeds EfficiencyNeeds();

// `job` was loaded with EfficiencyNeeds().
JobEfficiency EfficiencyOf(const LoadedJob& job, const EfficiencyOptions& options);

absl::StatusOr<JobEfficiency> AnswerEfficiency(const EfficiencyQuestion& question,
                                               const QuestionContext& context);

}  // namespace lockstep::answers

// A run beside earlier runs of the same configuration: whether it is slower, since when, and what
// changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/question.h"
#include "training/fleet/run_change.h"

namespace lockstep::answers {

struct RunHistoryQuestion {
  JobQuestion job;
};

struct JobRunHistory {
  Subject subject;
  training::RunSummary run = {};
  std::vector<training::RunSummary> predecessors = {};  // latest first
  training::RunComparison comparison = {};
  std::string sentence = {};  // the comparison, or why there is none
};

// Predecessors began before the run and have as many ranks on the same models of GPU, and the same
// parallelism, batches, sequence length and model, as far as these are logged or registered. The
// model is the same if it is registered so or its steps take the same number of operations, within
// 2 %; where neither is known, if the names of the jobs differ in nothing but numbers.
absl::StatusOr<JobRunHistory> AnswerRunHistory(const RunHistoryQuestion& question,
                                               const QuestionContext& context);

// "llama-70b-2026-11-27" -> "llama-b--"
std::string NameWithoutNumbers(std::string_view job);

}  // namespace lockstep::answers

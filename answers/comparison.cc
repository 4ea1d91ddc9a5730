#include "answers/comparison.h"

#include <utility>

#include "answers/load/job_loader.h"
#include "base/status.h"
#include "catalogue/roles.h"
#include "storage/storage.h"
#include "training/efficiency/ledger.h"

namespace lockstep::answers {
namespace {

JobNeeds ComparisonNeeds() {
  JobNeeds needs{.loss = true, .memory = true, .operations = true};
  needs.devices.set(static_cast<size_t>(catalogue::Role::kGpuEnergyJoulesTotal));
  needs.devices.set(static_cast<size_t>(catalogue::Role::kGpuPowerWatts));
  return needs;
}

// Selects about `points` of the values for display.
void Thin(size_t points, std::vector<double>& values) {
  if (values.size() <= points) return;
  std::vector<double> kept;
  for (size_t i = 1; i <= points; ++i) kept.push_back(values[i * values.size() / points - 1]);
  values = std::move(kept);
}

}  // namespace

absl::StatusOr<training::Comparison> AnswerComparison(const ComparisonQuestion& question,
                                                      const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  std::vector<LoadedJob> jobs;
  for (const std::string& name : question.runs) {
    const JobQuery query{.name = name, .time = question.time, .needs = ComparisonNeeds()};
    LOCKSTEP_ASSIGN_OR_RETURN(LoadedJob job,
                              LoadJob(query, {*querier, context.pool, context.budget}));
    jobs.push_back(std::move(job));
  }
  std::vector<training::TrainingRun> runs;
  for (const LoadedJob& job : jobs) {
    const double joules = training::EnergyOf(job.job, job.devices, job.time, 0, 0, 0).joules;
    runs.push_back({job.job.name, &job.steps, joules, job.job.ranks.size()});
  }
  training::Comparison comparison = training::CompareRuns(runs, question.axis);
  Thin(question.points, comparison.at);
  for (training::ComparedRun& run : comparison.runs) {
    Thin(question.points, run.loss);
    Thin(question.points, run.loss_gap);
  }
  return comparison;
}

}  // namespace lockstep::answers

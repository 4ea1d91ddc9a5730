// What all questions about a training job have in common, and what they are answered from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "annotations/annotation_store.h"
#include "answers/load/loaded_job.h"
#include "base/budget/query_budget.h"
#include "base/threads/task_pool.h"
#include "model/sample.h"
#include "training/job/job.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::answers {

class LatenessCache;
class LiveJobs;

struct JobQuestion {
  std::string name;
  TimeRange time = kAllTimes;
  // Numbered from 0 over the life of the job. Empty: the last attempt with data in `time`.
  std::optional<size_t> attempt = {};
};

// Returns the annotations that the asker may see.
using FindAnnotations =
    std::function<annotations::AnnotationList(const annotations::AnnotationFilter&)>;

// All members are borrowed.
struct QuestionContext {
  const Storage& storage;  // written samples only: jobs are not loaded from metrics derived from
                           // them
  TaskPool& pool;          // helps with reading and computing
  QueryBudget& budget;     // charged for the samples of loaded jobs
  int64_t now_ms = 0;
  LiveJobs* live_jobs = nullptr;      // the state of running jobs; null: not kept
  LatenessCache* lateness = nullptr;  // of ended jobs; null: not kept
  FindAnnotations annotations{};      // empty: there are none
};

// What an answer is about. Rows of the answer are in the order of the job's ranks.
struct Subject {
  training::Job job;
  size_t attempt = 0;
  TimeRange time = {};
};

Subject SubjectOf(const LoadedJob& job);

// As of now or of the end of the question's time.
JobQuery QueryOf(const JobQuestion& question, const JobNeeds& needs, int64_t now_ms);

// Load the data that a question needs. Same errors as the functions of job_loader.h.
absl::StatusOr<LoadedJob> LoadJob(const JobQuestion& question, const JobNeeds& needs,
                                  const QuestionContext& context);
absl::StatusOr<std::vector<LoadedJob>> LoadAttempts(const JobQuestion& question,
                                                    const JobNeeds& needs,
                                                    const QuestionContext& context);

}  // namespace lockstep::answers

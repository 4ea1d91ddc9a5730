// Jobs that were recorded on four H200 GPUs, with what was planted in them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/devices.h"
#include "training/job.h"
#include "training/steps.h"

namespace lockstep::training {

struct PlantedEvent {
  std::string type;
  std::optional<int64_t> step;
  std::vector<int64_t> ranks;
  TimeRange time;
};

struct RecordedTruth {
  std::vector<int64_t> slow_ranks;  // empty: nobody is to be named
  std::string cause;
  std::string bound;                // of several that are right the first
  std::vector<std::string> bounds;  // all that are right; empty: not judged
  int64_t from_step = 0;            // of what was planted, if anything
  int64_t until_step = 0;
  TimeRange time;
  std::vector<PlantedEvent> events;
  // By part ("whole", or "off" and "on" for what was planted) and rank; training jobs only.
  std::map<std::string, std::map<int64_t, double>> mfu_bf16;
};

struct RecordedJob {
  Job job;
  std::string condition;  // what was run, in a word or two
  int64_t end_ms = 0;
  bool is_training = false;
  StepTable steps;
  std::vector<GpuCounters> devices;  // while the job ran
  RecordedTruth truth;
};

// "h200" (13 jobs) or "sweep" (8 jobs with ever smaller slowdowns).
std::vector<RecordedJob> LoadRecording(std::string_view name);

// "workloads": 14 jobs of many kinds, each on one GPU of its own host. Two have four ranks on that GPU.
std::vector<RecordedJob> LoadWorkloads();

// As a scrape every `period_ms` would have it: every so many samples become one. Counters of activity
// are means since the sample before, everything else is what the last of them says.
RecordedJob Thinned(const RecordedJob& job, int64_t period_ms);

// The steps and samples from `from_ms` on, as often again as `times` says, one after the other: a long job of
// the same kind.
RecordedJob Repeated(const RecordedJob& job, int64_t from_ms, size_t times);

// Parts of a job: columns [first, last] of its steps, and device samples from the time of these steps. Its
// job keeps its begin, so that warm-up stays warm-up.
RecordedJob StepRangeOf(const RecordedJob& job, size_t first, size_t last);

// The given rows of it only.
RecordedJob RanksOf(const RecordedJob& job, const std::vector<size_t>& rows);

}  // namespace lockstep::training

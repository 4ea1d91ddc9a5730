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
  std::string bound;
  int64_t from_step = 0;  // of what was planted, if anything
  int64_t until_step = 0;
  TimeRange time;
  std::vector<PlantedEvent> events;
  // By part ("whole", or "off" and "on" for what was planted) and rank; training jobs only.
  std::map<std::string, std::map<int64_t, double>> mfu_bf16;
};

struct RecordedJob {
  Job job;
  int64_t end_ms = 0;
  bool is_training = false;
  StepTable steps;
  std::vector<GpuCounters> devices;  // while the job ran
  RecordedTruth truth;
};

// "h200" (13 jobs) or "sweep" (8 jobs with ever smaller slowdowns).
std::vector<RecordedJob> LoadRecording(std::string_view name);

// Parts of a job: columns [first, last] of its steps, and device samples from the time of these steps. Its
// job keeps its begin, so that warm-up stays warm-up.
RecordedJob StepRangeOf(const RecordedJob& job, size_t first, size_t last);

// The given rows of it only.
RecordedJob RanksOf(const RecordedJob& job, const std::vector<size_t>& rows);

}  // namespace lockstep::training

// Jobs recorded on four H200 GPUs, and the faults that were planted in them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

struct PlantedEvent {
  std::string type;
  std::optional<int64_t> step;
  std::vector<int64_t> ranks;
  TimeRange time;
};

struct RecordedTruth {
  std::vector<int64_t> slow_ranks;  // empty: no rank may be named
  std::string cause;
  std::string bound;                // the first of `bounds`
  std::vector<std::string> bounds;  // all correct ones; empty: not checked
  int64_t from_step = 0;            // of the planted fault, if any
  int64_t until_step = 0;
  TimeRange time;
  std::vector<PlantedEvent> events;
  // By part ("whole", or "off" and "on" for without and with the fault) and rank; only for
  // training.
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

// "h200" (13 jobs) or "sweep" (8 jobs with smaller and smaller slowdowns).
std::vector<RecordedJob> LoadRecording(std::string_view name);

// "workloads": 14 jobs of many kinds, each on one GPU of a different host. Two have four ranks on
// that GPU.
std::vector<RecordedJob> LoadWorkloads();

// Reduces samples to one every `period_ms`, as a scrape would see them. Activity ratios become the
// mean since the previous sample, everything else the last value.
RecordedJob Thinned(const RecordedJob& job, int64_t period_ms);

// Makes a long job of the same kind: appends the steps and samples from `from_ms` on another
// `times` times.
RecordedJob Repeated(const RecordedJob& job, int64_t from_ms, size_t times);

// A part of a job: columns [first, last] of its steps, and the device samples from that time.
// `begin_ms` stays, so that warm-up is still known as such.
RecordedJob StepRangeOf(const RecordedJob& job, size_t first, size_t last);

// Only these rows of the job.
RecordedJob RanksOf(const RecordedJob& job, const std::vector<size_t>& rows);

}  // namespace lockstep::training

// A training job, loaded from its stored series into training's columns.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers/load/known_ranks.h"
#include "answers/load/rank_report.h"
#include "answers/load/step_history.h"
#include "catalogue/roles.h"
#include "model/sample.h"
#include "training/devices/devices.h"
#include "training/devices/links.h"
#include "training/job/discovery.h"
#include "training/job/frontier.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::answers {

// Which data of a job to read. More data take longer.
struct JobNeeds {
  bool steps = true;        // step times and job facts
  bool phases = false;      // and own times
  bool loss = false;        // and gradient norms
  bool memory = false;      // of the trainers' allocators
  bool operations = false;  // floating point operations and tokens
  // By catalogue::Role; only those in training::kDeviceRoles are read.
  std::bitset<catalogue::kRoleCount> devices = {};
  bool links = false;  // network interfaces of its hosts
  // Include steps that some ranks have not reported yet, for answers that do not compare ranks.
  bool beyond_frontier = false;
  // Compute StepTable::job_step_seconds now; otherwise it is computed on demand.
  bool job_steps = true;

  static JobNeeds Everything();
};

// JobNeeds::devices for classifying what bounds each GPU.
std::bitset<catalogue::kRoleCount> CountersOfClasses();

struct JobQuery {
  std::string name;
  TimeRange time = kAllTimes;
  // Numbered from 0 over the life of the job. Empty: the last attempt with data in `time`.
  std::optional<size_t> attempt = {};
  JobNeeds needs = {};
  // Load only the steps of a running job that a live answer needs (training::FirstLiveStep).
  bool live_steps_alone = false;
  // The current time of the query. Empty for a query about the past, in which no job is running.
  std::optional<int64_t> now_ms = {};
};

// What trainers report about the job as a whole; unknown if they do not.
struct JobFacts {
  int64_t world_size = 0;
  training::Parallelism parallelism = {};
  double sequence_length = training::kUnknown;
  double total_samples = training::kUnknown;  // last reported value
  double total_tokens = training::kUnknown;
  std::optional<int64_t> planned_steps = {};
};

// Rows of tables and elements of `devices` are in the order of the ranks of `job`.
struct LoadedJob {
  training::Job job;  // begins with the attempt, or with the data if that is unknown
  TimeRange
      time;  // the part of the requested time in which the attempt ran; the data below cover it
  TimeRange whole;  // the time of all the job's data in the requested time
  JobFacts facts;
  std::vector<std::string> gpu_models;  // by rank, as drivers report them; empty if unknown
  std::vector<AttemptSpan> attempts;    // all attempts of the job that are stored
  size_t attempt = 0;                   // index of the loaded one; 0 if there are none
  training::StepTable steps;            // up to the frontier; no columns if no steps are stored
  int64_t newest_ms = 0;  // when the newest step reported by any rank ended; 0 if there is none
  std::vector<training::NotReportingRank> not_reporting;  // at the end of `time`
  bool is_running = false;  // as of JobQuery::now_ms, steps ended recently and the job did not end
  std::optional<int64_t> exit_ms = {};         // when its processes ended, if recorded
  std::vector<training::GpuCounters> devices;  // empty if no counters are stored or needed
  std::vector<training::NetworkLink> links;    // of its hosts; empty if none are stored or needed
  std::shared_ptr<const KnownRanks> known;     // the source of the ranks of `job`
  std::vector<RankReport> reports;  // by rank; empty if steps beyond the frontier are included
  int64_t held_samples = 0;         // the number charged to the budget
};

}  // namespace lockstep::answers

// A training job as its stored series tell it, in training's columns.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers/known_ranks.h"
#include "answers/rank_report.h"
#include "answers/step_history.h"
#include "model/sample.h"
#include "training/devices.h"
#include "training/discovery.h"
#include "training/frontier.h"
#include "training/job.h"
#include "training/links.h"
#include "training/steps.h"

namespace lockstep::answers {

// What of a job is to be read. The more, the longer it takes.
struct JobNeeds {
  bool steps = true;        // how long they took, and facts of the job
  bool phases = false;      // and own times
  bool loss = false;        // and gradient norms
  bool memory = false;      // of trainers' allocators
  bool operations = false;  // floating point operations and tokens
  std::bitset<training::kDeviceCounterCount> devices = {};
  bool links = false;  // network interfaces of its hosts
  // Steps that some ranks have not reported yet: for what does not compare ranks.
  bool beyond_frontier = false;
  // How long its steps take as a whole, by all ranks: else that is found when it is asked for.
  bool job_steps = true;

  static JobNeeds Everything();
};

struct JobQuery {
  std::string name;
  TimeRange time = kAllTimes;
  // Counted from 0 over the life of the job; the last one that has something in `time` if none.
  std::optional<size_t> attempt = {};
  JobNeeds needs = {};
  // Loads only the steps of a running job that a live answer needs (training::FirstLiveStep).
  bool live_steps_alone = false;
  // The present of the question; nothing: it is about the past alone, and no job is running.
  std::optional<int64_t> now_ms = {};
};

// What trainers say of the job as a whole. Unknown where they do not.
struct JobFacts {
  int64_t world_size = 0;
  training::Parallelism parallelism = {};
  double sequence_length = training::kUnknown;
  double total_samples = training::kUnknown;  // the last that was said
  double total_tokens = training::kUnknown;
  std::optional<int64_t> planned_steps = {};
};

// Plain data. Rows of tables and elements of `devices` are the ranks of `job`, in order.
struct LoadedJob {
  training::Job job;  // begins when the attempt did, or with the data if nothing says when
  training::TimeRange
      time;  // that the rest is about: of the attempt, inside the one that was asked for
  training::TimeRange whole;  // of all of the job's data inside the time that was asked for
  JobFacts facts;
  std::vector<std::string> gpu_models;  // of the ranks, as drivers say them; empty: not known
  std::vector<AttemptSpan> attempts;    // all that the job had, as far as is stored
  size_t attempt = 0;                   // the loaded one; 0 if there are none
  training::StepTable steps;            // up to the frontier; no columns: no steps are stored
  int64_t newest_ms = 0;  // when the newest step ended that any rank has reported; 0: none has
  std::vector<training::NotReportingRank> not_reporting;  // at the end of `time`
  bool is_running = false;  // steps ended lately, by JobQuery::now_ms, and the job has not ended
  std::optional<int64_t> exit_ms = {};         // when its processes ended, if that is recorded
  std::vector<training::GpuCounters> devices;  // none: no counters are stored, or none are needed
  std::vector<training::NetworkLink> links;    // of its hosts; none: likewise
  std::shared_ptr<const KnownRanks> known;     // where `job` has its ranks from
  std::vector<RankReport> reports;  // of the ranks; none if steps beyond the frontier are there
  int64_t held_samples = 0;         // that the budget was charged with
};

}  // namespace lockstep::answers

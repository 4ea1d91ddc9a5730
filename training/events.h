// What happened to a job: spikes, hangs, leaks, and what its devices report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/confidence.h"
#include "training/devices.h"
#include "training/evidence.h"
#include "training/job.h"
#include "training/steps.h"

namespace lockstep::training {

enum class EventKind {
  kLossSpike,
  kGradientSpike,
  kNan,
  kHang,
  kStall,  // no new step for long, and nothing says the job ended; or none for long once, for unknown reasons
  kMemoryLeak,
  kThrottled,
  kPowerBraked,
  kEcc,
  kRowRemap,
  kXid,
  kSawToothPower,
  kNetworkJump,
  // Long steps that are explained: nothing to be alarmed about.
  kCheckpoint,
  kEvaluation,
  kInputStall,
  kPause,  // in a phase that the trainer names, or one that comes back at regular intervals
};

std::string_view Name(EventKind kind);

struct Event {
  EventKind kind = EventKind::kStall;
  TimeRange time = {};
  std::optional<int64_t> step = {};  // at which it began, where known
  std::vector<size_t> rows = {};     // of the job's ranks; empty: the job as a whole
  std::vector<Evidence> evidence = {};
  std::string words = {};  // what it means or what to do
};

struct EventInput {
  const Job& job;
  const StepTable& steps;                // may be empty
  std::span<const GpuCounters> devices;  // one per rank of the job, or none
  // The time the question is asked for, if the job has not ended: then a missing step is an event.
  std::optional<int64_t> now_ms = {};
};

// What FindEvents can have seen: kinds of events whose signals are not there cannot be found.
Confidence ConfidenceOfEvents(const EventInput& input);

// In order of time.
std::vector<Event> FindEvents(const EventInput& input);

// Values that jump: a rate that is at least `factor` times the median of the 20 samples before, two samples
// running. For counters of bytes, after they were made rates.
std::vector<TimeRange> FindJumps(const CounterSeries& rates, double factor);

}  // namespace lockstep::training

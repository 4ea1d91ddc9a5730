// Events of a job: spikes, hangs, leaks, and device reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/confidence.h"
#include "training/job/evidence.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

enum class EventKind {
  kLossSpike,
  kGradientSpike,
  kNan,
  kHang,
  kStall,  // no new step for long although the job has not ended, or a long gap of unknown cause
  kMemoryLeak,
  kThrottled,
  kPowerBraked,
  kEcc,
  kRowRemap,
  kXid,
  kSawToothPower,
  // Explained long steps, which are harmless.
  kCheckpoint,
  kEvaluation,
  kInputStall,
  kPause,  // in a phase that the trainer logs, or recurring at regular intervals
};

std::string_view Name(EventKind kind);

struct Event {
  EventKind kind = EventKind::kStall;
  TimeRange time = {};
  std::optional<int64_t> step = {};  // at which it began, if known
  std::vector<size_t> rows = {};     // of the job's ranks; empty: the whole job
  std::vector<Evidence> evidence = {};
  std::string words = {};  // what it means or what to do
};

struct EventInput {
  const Job& job;
  const StepTable& steps;                // may be empty
  std::span<const GpuCounters> devices;  // one per rank of the job, or empty
  // The current time if the job has not ended: then a missing step is an event.
  std::optional<int64_t> now_ms = {};
};

// The data available to FindEvents(). Events whose signals are missing cannot be found.
Confidence ConfidenceOfEvents(const EventInput& input);

// Returns events in time order.
std::vector<Event> FindEvents(const EventInput& input);

}  // namespace lockstep::training

// SampleTimes: assigns times to the samples of imported records so that no two records of a series
// share one.
//
// Stored times are milliseconds. Writers log faster, write whole seconds, or have their clock set
// back; stored unchanged, all but the last sample at a time would be lost. A record whose time
// belongs to another step of its owner (the job, run, rank and attempt) gets the next free
// millisecond; all records of one step stay together, so that a value can be joined with its step.
// A second, different value with the same series, step and time is a separate record and also gets
// a free millisecond; the same value again is a duplicate.
//
//   logged      5 5 5 5 6       steps 1 2 3 4 5
//   stored      5 6 7 8 9
//
// Times depend only on the records placed before and their order: importing a file again yields the
// same times, and a file that has grown keeps the times of its earlier part. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"

namespace lockstep::importer {

class SampleTimes {
 public:
  // How many samples are remembered: about 70 bytes each, less if series share their times. Beyond
  // that, all are forgotten.
  static constexpr size_t kMaxSamples = 4'000'000;

  explicit SampleTimes(size_t max_samples = kMaxSamples) : max_samples_(max_samples) {}

  struct Record {
    uint64_t owner = 0;   // hash of the step's owner; `series` if it shares its steps with no other
    uint64_t series = 0;  // hash of all labels
    int64_t time_ms = 0;  // as logged
    std::optional<int64_t> step;
    double value = 0;
  };
  struct Place {
    int64_t time_ms = 0;
    bool is_duplicate = false;  // the series already has this value at this time
    bool is_first = false;      // the owner's first record at this time
  };
  Place Find(const Record& record);

  // Records stored at another time than logged.
  uint64_t moved() const { return moved_; }
  // Records whose series already had this value of this step at this time.
  uint64_t duplicates() const { return duplicates_; }
  // Whether there were more samples than are remembered, so one may have taken another's time.
  bool has_forgotten() const { return has_forgotten_; }

 private:
  struct Slot {
    std::optional<int64_t> step;
    int64_t next_ms = 0;  // no free millisecond before this
  };

  // Whether the time belongs to the record's step; claims it if free.
  bool IsOfStep(const Record& record, Place& place);
  // The time for records of this step that cannot stay at `from_ms`.
  Place NextOf(const Record& record, int64_t from_ms);
  // The owner's first free time at or after `from_ms`.
  Place FreeOf(const Record& record, int64_t from_ms);
  int64_t FreeMs(uint64_t owner, int64_t from_ms);
  void ForgetIfFull();

  const size_t max_samples_;
  // Keyed by hashes of an owner or series and a time.
  absl::flat_hash_map<uint64_t, Slot> slots_;      // of an owner
  absl::flat_hash_map<uint64_t, int64_t> next_;    // of an owner and a step
  absl::flat_hash_map<uint64_t, double> samples_;  // of a series
  uint64_t moved_ = 0;
  uint64_t duplicates_ = 0;
  bool has_forgotten_ = false;
};

}  // namespace lockstep::importer

// SampleTimes: times for the samples of imported records, so that no two records of a series share
// one.
//
// Stored times are milliseconds. Writers log faster than that, write whole seconds, or have their
// clock set back; stored as they are, all samples of one time but the last would be lost. A record
// whose time another step of its owner (the job, run, rank and attempt) has takes the next free
// millisecond; all records of one step stay together, so that a value can be joined with its step.
// A second value of the same series, step and time is a record of its own and takes a free
// millisecond, too; the same value again is a duplicate.
//
//   logged      5 5 5 5 6       steps 1 2 3 4 5
//   stored      5 6 7 8 9
//
// Times depend on what was placed before and in which order, and on nothing else: a file that is
// imported again gets the same ones, and one that has grown the same ones for what it held before.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"

namespace lockstep::importer {

class SampleTimes {
 public:
  // That are remembered: about 70 bytes a sample, less where series share their times. Beyond that
  // all are forgotten.
  static constexpr size_t kMaxSamples = 4'000'000;

  explicit SampleTimes(size_t max_samples = kMaxSamples) : max_samples_(max_samples) {}

  struct Record {
    uint64_t owner =
        0;  // a hash of what its step belongs to: `series` where it shares it with no other
    uint64_t series = 0;  // a hash of all labels
    int64_t time_ms = 0;  // as it was logged
    std::optional<int64_t> step;
    double value = 0;
  };
  struct Place {
    int64_t time_ms = 0;
    bool is_duplicate = false;  // the series has this value at this time already
    bool is_first = false;      // no other record of the owner has this time
  };
  Place Find(const Record& record);

  // Records that were stored at another time than the logged one.
  uint64_t moved() const { return moved_; }
  // Records whose series had this value of this step at this time already.
  uint64_t duplicates() const { return duplicates_; }
  // Whether there were more samples than are remembered: one may then have taken the time of
  // another.
  bool has_forgotten() const { return has_forgotten_; }

 private:
  struct Slot {
    std::optional<int64_t> step;
    int64_t next_ms = 0;  // no millisecond before this is free, from here on
  };

  // Whether the time is one of the record's step, and makes it so where it is free.
  bool IsOfStep(const Record& record, Place& place);
  // Where the records of this step go on that cannot stay at `from_ms`.
  Place NextOf(const Record& record, int64_t from_ms);
  // The first time from `from_ms` on that no record of the owner has.
  Place FreeOf(const Record& record, int64_t from_ms);
  int64_t FreeMs(uint64_t owner, int64_t from_ms);
  void ForgetIfFull();

  const size_t max_samples_;
  // By hashes of what they belong to and a time.
  absl::flat_hash_map<uint64_t, Slot> slots_;      // of an owner
  absl::flat_hash_map<uint64_t, int64_t> next_;    // of an owner and a step
  absl::flat_hash_map<uint64_t, double> samples_;  // of a series
  uint64_t moved_ = 0;
  uint64_t duplicates_ = 0;
  bool has_forgotten_ = false;
};

}  // namespace lockstep::importer

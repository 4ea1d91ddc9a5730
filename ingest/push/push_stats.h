// Counters of pushes since the process started, and of their outcome.
#pragma once

#include <cstdint>

namespace lockstep::push {

// A snapshot; fields may be read at slightly different times.
struct PushStats {
  uint64_t pushes = 0;
  uint64_t failed_pushes = 0;  // nothing was stored
  uint64_t bytes = 0;          // new bytes of stored pushes
  uint64_t lines = 0;
  uint64_t records = 0;
  uint64_t values = 0;
  uint64_t rejected_lines = 0;
  uint64_t rejected_samples = 0;
  uint64_t streams = 0;  // currently open

  PushStats& operator+=(const PushStats& more) {
    pushes += more.pushes;
    failed_pushes += more.failed_pushes;
    bytes += more.bytes;
    lines += more.lines;
    records += more.records;
    values += more.values;
    rejected_lines += more.rejected_lines;
    rejected_samples += more.rejected_samples;
    streams += more.streams;
    return *this;
  }
};

}  // namespace lockstep::push

// What jobs pushed since the process started, and what became of it.
#pragma once

#include <cstdint>

namespace lockstep::push {

// A snapshot; fields may be a moment apart.
struct PushStats {
  uint64_t pushes = 0;
  uint64_t failed_pushes = 0;  // nothing of them was stored
  uint64_t bytes = 0;          // new ones, of stored pushes
  uint64_t lines = 0;
  uint64_t records = 0;
  uint64_t values = 0;
  uint64_t rejected_lines = 0;
  uint64_t rejected_samples = 0;
  uint64_t streams = 0;  // that are followed now

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

// What the kernel knows about this process.
#pragma once

#include <cstdint>

namespace lockstep::server {

struct ProcessMetrics {
  double cpu_seconds = 0;  // user and system
  uint64_t resident_bytes = 0;
  uint64_t virtual_bytes = 0;
  double start_time_seconds = 0;  // Unix
  uint64_t thread_count = 0;
  uint64_t open_file_count = 0;
  uint64_t max_file_count = 0;
};

// What cannot be read stays 0. Source: proc(5). Safe from any thread.
ProcessMetrics ReadProcessMetrics();

}  // namespace lockstep::server

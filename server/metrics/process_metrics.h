// This process's metrics from the kernel.
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

// Values that cannot be read stay 0. Source: proc(5). Safe from any thread.
ProcessMetrics ReadProcessMetrics();

}  // namespace lockstep::server

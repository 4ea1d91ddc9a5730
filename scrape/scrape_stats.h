// Scrape counters since the process started. A snapshot; fields may be read at slightly different
// times.
#pragma once

#include <cstdint>

namespace lockstep::scrape {

struct ScrapeStats {
  uint64_t jobs = 0;
  uint64_t active_targets = 0;
  uint64_t dropped_targets = 0;
  uint64_t scrapes = 0;          // finished scrapes, including failed
  uint64_t failed_scrapes = 0;   // failed scrapes: `up` is 0
  uint64_t skipped_scrapes = 0;  // skipped because the previous one was not stored yet
  uint64_t body_bytes = 0;       // uncompressed
  uint64_t samples = 0;          // in bodies
  uint64_t kept_samples = 0;     // after relabelling
  uint64_t stale_markers = 0;
  uint64_t failed_writes = 0;  // writes of scrapes that the store failed
  uint64_t failed_discoveries = 0;
  uint64_t reloads = 0;  // of the configuration
};

}  // namespace lockstep::scrape

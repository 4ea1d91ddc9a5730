// What scraping did since the process started. A snapshot; fields may be a moment apart.
#pragma once

#include <cstdint>

namespace lockstep::scrape {

struct ScrapeStats {
  uint64_t jobs = 0;
  uint64_t active_targets = 0;
  uint64_t dropped_targets = 0;
  uint64_t scrapes = 0;          // that ended, well or not
  uint64_t failed_scrapes = 0;   // of them; `up` is 0
  uint64_t skipped_scrapes = 0;  // that did not begin: the one before was not stored yet
  uint64_t body_bytes = 0;       // uncompressed
  uint64_t samples = 0;          // in bodies
  uint64_t kept_samples = 0;     // after relabelling
  uint64_t stale_markers = 0;
  uint64_t failed_writes = 0;  // of scrapes, that the store answered with an error
  uint64_t failed_discoveries = 0;
  uint64_t reloads = 0;  // of the configuration
};

}  // namespace lockstep::scrape

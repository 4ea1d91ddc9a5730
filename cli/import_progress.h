// What `lockstep import` says while it runs and at its end. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "import/import_session.h"

namespace lockstep::cli {

// "run/metrics.csv  1,200,000 samples  45.0 of 120.0 MB  310,000 samples/s  12 s left"
std::string ProgressText(const importer::ImportReport& report, std::chrono::nanoseconds elapsed);

// "run/metrics.csv: lightning_csv: 208 samples of 4 series, 52 steps, 2026-03-02 09:15:31Z to ...;
// ..."
std::string ReportText(const importer::ImportReport& report);

// What all sources of an import came to.
struct ImportTotals {
  uint64_t sources = 0;
  uint64_t samples = 0;
  uint64_t read_bytes = 0;
  uint64_t not_whole = 0;      // sources of which something was left out or refused
  uint64_t unknown_named = 0;  // files that were named and are of no known format
  uint64_t unknown = 0;        // such files that a walk found
  uint64_t failed = 0;         // sources that could not be read to their end
  uint64_t empty_folders = 0;  // of which nothing was imported
};

// "imported 1,200,000 samples of 3 sources (120.0 MB) in 3.9 s, 310,000 samples/s; ..."
std::string TotalsText(const ImportTotals& totals, bool is_dry_run,
                       std::chrono::nanoseconds elapsed);

// "1,234,567"
std::string WithThousands(uint64_t number);

}  // namespace lockstep::cli

// What `lockstep import` prints while it runs and at the end. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "import/delivery/import_session.h"

namespace lockstep::cli {

// "run/metrics.csv  1,200,000 samples  45.0 of 120.0 MB  310,000 samples/s  12 s left"
std::string ProgressText(const importer::ImportReport& report, std::chrono::nanoseconds elapsed);

// "run/metrics.csv: lightning_csv: 208 samples of 4 series, 52 steps, 2026-03-02 09:15:31Z to ...;
// ..."
std::string ReportText(const importer::ImportReport& report);

// Totals over all sources of an import.
struct ImportTotals {
  uint64_t sources = 0;
  uint64_t samples = 0;
  uint64_t read_bytes = 0;
  uint64_t not_whole = 0;      // sources with something skipped or rejected
  uint64_t unknown_named = 0;  // files of unknown format named on the command line
  uint64_t unknown = 0;        // files of unknown format found in folders
  uint64_t failed = 0;         // sources that could not be read completely
  uint64_t empty_folders = 0;  // folders from which nothing was imported
};

// "imported 1,200,000 samples of 3 sources (120.0 MB) in 3.9 s, 310,000 samples/s; ..."
std::string TotalsText(const ImportTotals& totals, bool is_dry_run,
                       std::chrono::nanoseconds elapsed);

// "1,234,567"
std::string WithThousands(uint64_t number);

}  // namespace lockstep::cli

// What `lockstep import` says while it runs and at its end. Pure.
#pragma once

#include <chrono>
#include <string>

#include "import/import_run.h"

namespace lockstep::cli {

// "1,200,000 samples  45 of 120 MB  310,000 samples/s  12 s left"
std::string ProgressText(const importer::ImportTotals& totals, std::chrono::nanoseconds elapsed);

// "imported 1,200,000 samples from ... lines in 3.9 s (...)"
std::string TotalsText(const importer::ImportTotals& totals, const importer::ImportOptions& options,
                       std::chrono::nanoseconds elapsed);

// "1,234,567"
std::string WithThousands(uint64_t number);

}  // namespace lockstep::cli

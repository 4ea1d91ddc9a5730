// What the training answers say of a job's ranks, put together by rank. Pure.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli/ask.h"
#include "cli/sheet.h"

namespace lockstep::cli {

// NaN and "" where nothing is known.
struct RankRow {
  double rank = NAN;
  std::string host;
  std::string gpu;
  std::string verdict;  // of a rank that is named
  std::string cause;
  double late = NAN;                      // of a step, of a rank that is named
  std::vector<double> step_seconds;       // of the last steps, each or the mean of some
  std::vector<double> own_seconds;        // likewise without what it waited
  std::map<std::string, double> devices;  // by counter: the mean of the last time

  double step_median() const;
  double own_median() const;
};

// Rows of the ranks in an answer of /jobs to one job.
std::vector<RankRow> RowsOfJob(simdjson::dom::element job);

// Adds what an answer of /stragglers says.
void AddVerdicts(simdjson::dom::element stragglers, std::vector<RankRow>& rows);

// So many steps of a rank are shown.
inline constexpr size_t kStepsShown = 32;

// Adds the means of an answer of /heatmap to the rows of its ranks: the last kStepsShown to `step_seconds` or
// `own_seconds`, or the last one to `devices`.
void AddPicture(simdjson::dom::element heat_map, std::vector<RankRow>& rows);

// Named ranks first, the latest of them before; then by own time, the longest before. Beside it stands how far it
// is above the median of all ranks, and its curve; without own times the curve of the steps.
Sheet SheetOfRanks(std::vector<RankRow> rows);

}  // namespace lockstep::cli

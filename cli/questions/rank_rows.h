// Combines, by rank, what the training responses say about a job's ranks. Pure.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli/client/ask.h"
#include "cli/terminal/sheet.h"

namespace lockstep::cli {

// Unknown values are NaN or "".
struct RankRow {
  double rank = NAN;
  std::string host;
  std::string gpu;
  std::string verdict;  // if the rank is listed as a straggler
  std::string cause;
  double late = NAN;                 // fraction of a step, if the rank is listed as a straggler
  std::vector<double> step_seconds;  // of the last steps, possibly averaged over several
  std::vector<double> own_seconds;   // the same, without the time spent waiting
  std::map<std::string, double> devices;  // by counter: the latest mean

  double step_median() const;
  double own_median() const;
};

// The rows of a job's ranks, from a /jobs response for one job.
std::vector<RankRow> RowsOfJob(simdjson::dom::element job);

// Adds verdicts from a /stragglers response.
void AddVerdicts(simdjson::dom::element stragglers, std::vector<RankRow>& rows);

// The number of steps shown per rank.
inline constexpr size_t kStepsShown = 32;

// Adds means from a /heatmap response to the rows of its ranks: the last kStepsShown to
// `step_seconds` or `own_seconds`, or the last one to `devices`.
void AddPicture(simdjson::dom::element heat_map, std::vector<RankRow>& rows);

// Sorts stragglers first, the latest ones at the top, then the other ranks by own time, longest
// first. Shows each own time with its excess over the median of all ranks, and its curve; without
// own times, shows the curve of step times.
Sheet SheetOfRanks(std::vector<RankRow> rows);

}  // namespace lockstep::cli

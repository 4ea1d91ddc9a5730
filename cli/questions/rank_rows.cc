#include "cli/questions/rank_rows.h"

#include <algorithm>
#include <tuple>

namespace lockstep::cli {
namespace {

using simdjson::dom::element;

const std::vector<SheetColumn> kRankColumns = {
    {"rank", "rank"},
    {"host", "host"},
    {"gpu", "GPU"},
    {"step_seconds", "step ms", 1e3, 1},
    {"own_seconds", "own ms", 1e3, 1},
    {"own_excess", "over median %", 100, 1},
    {"verdict", "verdict"},
    {"cause", "cause"},
    {"late", "late %", 100, 1},
    {"sm_active", "SM %", 100, 0},
    {"tensor_active", "tensor %", 100, 0},
    {"power_watts", "W", 1, 0},
    {"temperature_celsius", "C", 1, 0},
    {"seconds_lately", "last steps"},
};

double MedianOf(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

RankRow* Find(std::vector<RankRow>& rows, double rank) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [rank](const RankRow& each) { return each.rank == rank; });
  return row == rows.end() ? nullptr : &*row;
}

double DeviceOf(const RankRow& row, const std::string& counter) {
  const auto at = row.devices.find(counter);
  return at == row.devices.end() ? NAN : at->second;
}

double MedianOfRanks(const std::vector<RankRow>& rows) {
  std::vector<double> medians;
  for (const RankRow& row : rows) medians.push_back(row.own_median());
  return MedianOf(std::move(medians));
}

// Sorts NaN after all numbers.
double ForOrder(double number) { return std::isnan(number) ? -HUGE_VAL : number; }

bool IsWorse(const RankRow& a, const RankRow& b) {
  const auto key = [](const RankRow& row) {
    return std::tuple(!row.verdict.empty(), ForOrder(row.late), ForOrder(row.own_median()),
                      -row.rank);
  };
  return key(a) > key(b);
}

std::vector<SheetCell> CellsOf(const RankRow& row, double own_median_of_ranks) {
  return {row.rank,
          row.host,
          row.gpu,
          KnownNumber(row.step_median()),
          KnownNumber(row.own_median()),
          KnownNumber(row.own_median() / own_median_of_ranks - 1),
          row.verdict,
          row.cause,
          KnownNumber(row.late),
          KnownNumber(DeviceOf(row, "DCGM_FI_PROF_SM_ACTIVE")),
          KnownNumber(DeviceOf(row, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")),
          KnownNumber(DeviceOf(row, "DCGM_FI_DEV_POWER_USAGE")),
          KnownNumber(DeviceOf(row, "DCGM_FI_DEV_GPU_TEMP")),
          std::isnan(row.own_median()) ? row.step_seconds : row.own_seconds};
}

}  // namespace

double RankRow::step_median() const { return MedianOf(step_seconds); }
double RankRow::own_median() const { return MedianOf(own_seconds); }

std::vector<RankRow> RowsOfJob(element job) {
  std::vector<RankRow> rows;
  for (const element place : ListAt(job, "/ranks")) {
    RankRow& row = rows.emplace_back();
    row.rank = NumberAt(place, "/rank");
    row.host = TextAt(place, "/host");
    row.gpu = TextAt(place, "/gpu");
  }
  return rows;
}

void AddVerdicts(element stragglers, std::vector<RankRow>& rows) {
  for (const element named : ListAt(stragglers, "/ranks")) {
    RankRow* row = Find(rows, NumberAt(named, "/rank"));
    if (row == nullptr) continue;
    row->verdict = TextAt(named, "/verdict");
    row->cause = TextAt(named, "/cause");
    row->late = NumberAt(named, "/score");
  }
}

void AddPicture(element heat_map, std::vector<RankRow>& rows) {
  const std::string metric = TextAt(heat_map, "/metric");
  const std::vector<double> ranks = NumbersAt(heat_map, "/ranks");
  const std::vector<element> means = ListAt(heat_map, "/mean");
  for (size_t i = 0; i < std::min(ranks.size(), means.size()); ++i) {
    RankRow* row = Find(rows, ranks[i]);
    if (row == nullptr) continue;
    std::vector<double> values = NumbersAt(means[i], "");
    if (values.size() > kStepsShown) values.erase(values.begin(), values.end() - kStepsShown);
    if (metric == "step_seconds") {
      row->step_seconds = std::move(values);
    } else if (metric == "own_seconds") {
      row->own_seconds = std::move(values);
    } else if (!values.empty()) {
      row->devices[metric] = values.back();
    }
  }
}

Sheet SheetOfRanks(std::vector<RankRow> rows) {
  const double own_median = MedianOfRanks(rows);
  std::sort(rows.begin(), rows.end(), IsWorse);
  Sheet sheet{kRankColumns, {}};
  for (const RankRow& row : rows) sheet.rows.push_back(CellsOf(row, own_median));
  return sheet;
}

}  // namespace lockstep::cli

// Every name in the two lists has the role of its neighbours, in the unit given in its row.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catalogue/metric_names.h"
#include "tests/support/source_dir.h"

namespace lockstep::catalogue {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char byte : line) {
    if (byte == '"') {
      is_quoted = !is_quoted;
    } else if (byte == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += byte;
    }
  }
  return cells;
}

std::vector<Row> ReadRows(const std::string& name) {
  std::ifstream file(SourcePath("tests/catalogue/data/" + name));
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = CellsOf(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = CellsOf(line);
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < header.size() && i < cells.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

std::vector<std::string> NamesIn(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, '|');) names.push_back(name);
  return names;
}

// How many base units one unit is; units are spelt as in the lists.
const std::map<std::string, double> kUnits = {
    {"ratio", 1},  {"percent", 0.01}, {"MHz", 1e6},     {"MiB", 1 << 20}, {"W", 1},
    {"mJ", 1e-3},  {"ns", 1e-9},      {"celsius", 1},   {"s", 1},         {"bytes/s", 1},
    {"KB/s", 1e3}, {"count", 1},      {"bytes", 1},     {"By", 1},        {"J", 1},
    {"Cel", 1},    {"1", 1},          {"TFLOP/s", 1e12}};

TEST(Names, AllNamesOfADcgmFieldHaveOneRoleInItsUnit) {
  const std::vector<Row> rows = ReadRows("dcgm_fields.csv");
  ASSERT_EQ(rows.size(), 642u);
  size_t with_role = 0;
  for (const Row& row : rows) {
    const auto legacy = RoleOf(row.at("legacy_name"), {});
    for (const std::string& name : NamesIn(row.at("accept_names"))) {
      const auto found = RoleOf(name, {});
      ASSERT_EQ(found.has_value(), legacy.has_value()) << name;
      if (!found.has_value()) continue;
      ++with_role;
      EXPECT_EQ(found->role, legacy->role) << name;
      if (found->stored == Stored::kPercentOrRatio) continue;
      const auto unit = kUnits.find(row.at("unit"));
      EXPECT_DOUBLE_EQ(found->factor, unit == kUnits.end() ? 1 : unit->second) << name;
    }
    if (!legacy.has_value()) continue;
    EXPECT_NE(row.at("prom_type"), "label");
    EXPECT_NE(row.at("prom_type"), "unsupported");
  }
  EXPECT_GT(with_role, 150u);
}

// Every commonly exported GPU metric has a role, except those unrelated to a device's work or
// health.
TEST(Names, WhatExportersSendByDefaultHasARole) {
  const std::vector<std::string> without = {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
                                            "DCGM_FI_DEV_VGPU_LICENSE_STATUS"};
  for (const Row& row : ReadRows("dcgm_fields.csv")) {
    if (row.at("exporter_1x_alias").empty()) continue;
    const std::string& name = row.at("legacy_name");
    const bool is_expected = std::find(without.begin(), without.end(), name) == without.end();
    EXPECT_EQ(RoleOf(name, {}).has_value(), is_expected) << name;
  }
}

// The name under which a value from a log is stored.
std::string StoredName(const std::string& canonical) {
  return canonical.substr(0, canonical.find('{'));
}

LabelSet LabelsIn(const std::string& canonical) {
  const size_t begin = canonical.find("phase=\"");
  if (begin == canonical.npos) return {};
  const size_t value = begin + std::string("phase=\"").size();
  return LabelSet::Of({{"phase", canonical.substr(value, canonical.find('"', value) - value)}});
}

bool IsScrapedAsItIs(const std::string& source) {
  return source == "dynolog" || source == "triton" || source == "amd-device-metrics-exporter" ||
         source == "slurm-job-exporter";
}

TEST(Names, ExportersNamesFoldWithWhatLogsGive) {
  const std::vector<Row> rows = ReadRows("training_metrics.csv");
  ASSERT_EQ(rows.size(), 678u);
  size_t compared = 0;
  for (const Row& row : rows) {
    if (!IsScrapedAsItIs(row.at("source"))) continue;
    const auto scraped = RoleOf(row.at("name"), {});
    const std::string canonical = row.at("canonical");
    const auto stored = RoleOf(StoredName(canonical), LabelsIn(canonical));
    if (!stored.has_value()) continue;
    ASSERT_TRUE(scraped.has_value()) << row.at("name");
    EXPECT_EQ(scraped->role, stored->role) << row.at("name");
    EXPECT_NEAR(scraped->factor / (stored->factor * std::stod(row.at("scale_to_unit"))), 1, 1e-12)
        << row.at("name");
    ++compared;
  }
  EXPECT_GT(compared, 40u);
}

// The names under which values from training logs are stored have the same roles and factors.
TEST(Names, WhatTrainersLogHasARole) {
  for (const char* metric : {"train_step_time_seconds",
                             "train_loss",
                             "train_grad_norm",
                             "train_learning_rate",
                             "train_tokens_per_second",
                             "train_tokens_per_second_per_gpu",
                             "train_tflops_per_gpu",
                             "train_mfu_ratio",
                             "train_samples_total",
                             "train_tokens_total",
                             "train_global_batch_size",
                             "gpu_torch_memory_allocated_bytes",
                             "gpu_torch_memory_peak_bytes",
                             "gpu_utilization_percent",
                             "gpu_power_watts",
                             "gpu_sm_clock_mhz",
                             "gpu_temperature_celsius",
                             "gpu_memory_used_bytes",
                             "node_cpu_percent",
                             "node_network_receive_bytes_total",
                             "nccl_collective_seconds"}) {
    size_t rows = 0;
    for (const Row& row : ReadRows("training_metrics.csv")) {
      if (StoredName(row.at("canonical")) != metric) continue;
      ++rows;
      const auto found = RoleOf(metric, {});
      ASSERT_TRUE(found.has_value()) << metric;
      const auto unit = kUnits.find(row.at("unit"));
      EXPECT_DOUBLE_EQ(found->factor, unit == kUnits.end() ? 1 : unit->second) << metric;
    }
    EXPECT_GT(rows, 0u) << metric;
  }
}

}  // namespace
}  // namespace lockstep::catalogue

#include "catalogue/metric_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::catalogue {
namespace {

std::string WordFor(Stored stored) {
  switch (stored) {
    case Stored::kCounter:
      return " counter";
    case Stored::kEither:
      return " either";
    case Stored::kPercentOrRatio:
      return " percent?";
    case Stored::kGauge:
      break;
  }
  return "";
}

// "role/part x factor stored", or "-".
std::string Describe(std::string_view metric_name, const LabelSet& labels = {}) {
  const auto found = RoleOf(metric_name, labels);
  if (!found.has_value()) return "-";
  std::string text(InfoOf(found->role).name);
  if (!found->part.empty()) text += absl::StrFormat("/%s", found->part);
  if (found->factor != 1) text += absl::StrFormat(" x %g", found->factor);
  return text + WordFor(found->stored);
}

TEST(MetricNames, SpellingsOfAFieldHaveOneRole) {
  const std::pair<const char*, const char*> cases[] = {
      {"DCGM_FI_PROF_SM_ACTIVE", "gpu_sm_active_ratio"},
      {"DCGM_FI_PROF_SM_UTIL_RATIO", "gpu_sm_active_ratio"},
      {"dcgm_fi_prof_sm_active", "gpu_sm_active_ratio"},
      {"dcgm_prof_sm_active", "gpu_sm_active_ratio"},
      {"gpu_sm_active_ratio", "gpu_sm_active_ratio"},
      {"DCGM_FI_DEV_FB_USED", "gpu_memory_used_bytes x 1.04858e+06"},
      {"dcgm_frame_buffer_used", "gpu_memory_used_bytes x 1.04858e+06"},
      {"gpu_memory_used_bytes", "gpu_memory_used_bytes"},
      {"DCGM_FI_DEV_GPU_UTIL", "gpu_utilization_ratio x 0.01"},
      {"DCGM_FI_DEV_GPU_UTIL_RATIO", "gpu_utilization_ratio percent?"},
      {"nv_gpu_utilization", "gpu_utilization_ratio"},
      {"gpu_gfx_activity", "gpu_utilization_ratio x 0.01"},
      {"DCGM_FI_DEV_SM_CLOCK", "gpu_sm_clock_hertz x 1e+06"},
      {"DCGM_FI_DEV_POWER_VIOLATION", "gpu_power_violation_seconds_total x 1e-09 counter"},
      {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "gpu_energy_joules_total x 0.001 counter"},
      {"DCGM_FI_PROF_PCIE_RX_BYTES", "gpu_pcie_rx_bytes_per_second either"},
      {"DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL", "gpu_pcie_rx_bytes_per_second counter"},
      {"slurm_job_power_gpu", "gpu_power_watts x 0.001"},
      {"gpu_energy_consumed", "gpu_energy_joules_total x 1e-06 counter"},
      {"DCGM_FI_DEV_XID_ERROR", "gpu_xid"},
      {"node_amazonefa_rx_bytes", "nic_receive_bytes_total counter"},
      {"go_goroutines", "-"},
      {"", "-"},
  };
  for (const auto& [name, expected] : cases) EXPECT_EQ(Describe(name), expected) << name;
}

// Left: how POST /api/v1/push/steps stores a trainer's fields; right: how exporters and recordings
// name them.
TEST(MetricNames, PushedAndExportedStepsFold) {
  struct Case {
    const char* pushed;
    LabelSet exported;
    const char* role;
  };
  const auto phase = [](std::string_view name) {
    return LabelSet::Of({{"__name__", "train_phase_seconds"}, {"phase", name}});
  };
  const auto plain = [](std::string_view name) { return LabelSet::Of({{"__name__", name}}); };
  const Case cases[] = {
      {"data_time_s", phase("data"), "train_phase_seconds/data"},
      {"train_data_seconds", phase("data"), "train_phase_seconds/data"},
      {"h2d_time_s", phase("h2d"), "train_phase_seconds/h2d"},
      {"forward_time_s", phase("forward"), "train_phase_seconds/forward"},
      {"backward_time_s", phase("backward"), "train_phase_seconds/backward"},
      {"allreduce_time_s", phase("allreduce"), "train_phase_seconds/allreduce"},
      {"optimizer_time_s", phase("optimizer"), "train_phase_seconds/optimizer"},
      {"my_own_phase_time_s", phase("my_own_phase"), "train_phase_seconds/my_own_phase"},
      {"train_step_time_seconds", plain("train_step_time_seconds"), "train_step_time_seconds"},
      {"lockstep_step", plain("train_step"), "train_step"},
      {"train_loss", plain("train_loss"), "train_loss"},
      {"memory_reserved", plain("gpu_torch_memory_reserved_bytes"),
       "gpu_torch_memory_reserved_bytes"},
      {"train_tflops_per_gpu", plain("train_tflops_per_gpu"),
       "train_flops_per_second_per_gpu x 1e+12"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Describe(c.pushed), c.role);
    EXPECT_EQ(Describe(c.exported.metric_name(), c.exported), c.role);
  }
  EXPECT_EQ(Describe("step_time_s"), "train_step_time_seconds");
  EXPECT_EQ(Describe("_time_s"), "-");
}

// torch.cuda.memory_stats() has bytes; Composer logs gigabytes.
TEST(MetricNames, StatisticsOfTorchsMemory) {
  const auto check = [](std::string_view kind, std::string_view when, const std::string& role) {
    const std::string bytes = absl::StrFormat("%s_bytes.all.%s", kind, when);
    EXPECT_EQ(Describe("gpu_torch_memory_stat", LabelSet::Of({{"stat", bytes}})), role) << bytes;
    const std::string gigabytes = absl::StrFormat("%s_%s_mem", when, kind);
    EXPECT_EQ(Describe("gpu_torch_memory_stat", LabelSet::Of({{"stat", gigabytes}})),
              role + " x 1e+09")
        << gigabytes;
    EXPECT_EQ(Describe(role), role);
  };
  check("allocated", "current", "gpu_torch_memory_allocated_bytes");
  check("allocated", "peak", "gpu_torch_memory_peak_bytes");
  check("active", "peak", "gpu_torch_memory_active_peak_bytes");
  check("reserved", "current", "gpu_torch_memory_reserved_bytes");
  check("reserved", "peak", "gpu_torch_memory_reserved_peak_bytes");
  EXPECT_EQ(Describe("gpu_torch_memory_stat", LabelSet::Of({{"stat", "segment.all.current"}})),
            "-");
}

// A trainer's names for the number of bytes or of gigabytes.
TEST(MetricNames, MemoryOfTrainers) {
  for (const char* name :
       {"megatron_training_memory_allocated_gb", "megatron_training_memory_allocated_gb_ratio"}) {
    EXPECT_EQ(Describe(name), "gpu_torch_memory_allocated_bytes x 1e+09");
  }
  EXPECT_EQ(Describe("max_mem_gb"), "gpu_torch_memory_peak_bytes x 1e+09");
  EXPECT_EQ(Describe("memory_reserved"), "gpu_torch_memory_reserved_bytes");
}

TEST(MetricNames, LabelsDecideWhereTheyMust) {
  const LabelSet gpu = LabelSet::Of({{"hw_type", "gpu"}});
  EXPECT_EQ(Describe("hw_power_watts", gpu), "gpu_power_watts");
  EXPECT_EQ(Describe("hw_power_watts", LabelSet::Of({{"hw_type", "fan"}})), "-");
  EXPECT_EQ(Describe("hw_gpu_io_bytes_total", LabelSet::Of({{"network_io_direction", "receive"}})),
            "gpu_pcie_rx_bytes_per_second counter");
  EXPECT_EQ(Describe("hw_gpu_io_bytes_total"), "-");
  EXPECT_EQ(Describe("gpu_torch_memory_stat", LabelSet::Of({{"stat", "peak_allocated_mem"}})),
            "gpu_torch_memory_peak_bytes x 1e+09");
  EXPECT_EQ(Describe("DCGM_EXP_CLOCK_EVENTS_COUNT", LabelSet::Of({{"clock_event", "power_cap"}})),
            "gpu_clock_events/power_cap");
  // The maximum over all ranks belongs to no rank, and the loss over samples repeats the loss.
  EXPECT_EQ(Describe("train_phase_seconds", LabelSet::Of({{"agg", "max"}, {"phase", "data"}})),
            "-");
  EXPECT_EQ(Describe("train_loss", LabelSet::Of({{"axis", "samples"}})), "-");
}

TEST(MetricNames, NamesOfARoleHaveIt) {
  for (const RoleInfo& info : AllRoles()) {
    const std::vector<std::string_view> names = NamesOf(info.role);
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << info.name;
    EXPECT_TRUE(std::ranges::find(names, info.name) != names.end()) << info.name;
    EXPECT_EQ(ShownNameOf(info.role).metric, names.front());
    for (const std::string_view name : names) {
      EXPECT_EQ(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
                                       "0123456789"),
                name.npos)
          << name;
    }
  }
  EXPECT_EQ(NamesOf(Role::kGpuSmActiveRatio).front(), "DCGM_FI_PROF_SM_ACTIVE");
  EXPECT_EQ(NamesOf(Role::kGpuPowerLimitWatts).front(), "DCGM_FI_DEV_ENFORCED_POWER_LIMIT");
  EXPECT_EQ(ShownNameOf(Role::kGpuSmClockHertz).metric, "DCGM_FI_DEV_SM_CLOCK");
  EXPECT_EQ(ShownNameOf(Role::kGpuSmClockHertz).factor, 1e6);
}

TEST(MetricNames, ARolesOwnNameIsInItsUnit) {
  for (const RoleInfo& info : AllRoles()) {
    const auto found = RoleOf(info.name, {});
    ASSERT_TRUE(found.has_value()) << info.name;
    EXPECT_EQ(found->role, info.role) << info.name;
    EXPECT_EQ(found->factor, 1) << info.name;
  }
}

// Role's units per unit that the name ends with; 0: the name does not say it.
double FactorByName(std::string_view name) {
  constexpr std::pair<std::string_view, double> kEndings[] = {{"_ms", 1e-3},
                                                              {"_NS", 1e-9},
                                                              {"_microseconds", 1e-6},
                                                              {"_mhz", 1e6},
                                                              {"_gb", 1e9},
                                                              {"_gb_ratio", 1e9},
                                                              {"_gbs", 1e9},
                                                              {"_mb", 1 << 20},
                                                              {"_tflops", 1e12},
                                                              {"_tflops_ratio", 1e12},
                                                              {"_seconds", 1},
                                                              {"_s", 1},
                                                              {"_watts", 1},
                                                              {"_hertz", 1},
                                                              {"_joules", 1},
                                                              {"_celsius", 1},
                                                              {"_bytes", 1},
                                                              {"_seconds_total", 1},
                                                              {"_joules_total", 1},
                                                              {"_bytes_total", 1},
                                                              {"_WATTS", 1},
                                                              {"_CELSIUS", 1},
                                                              {"_percent", 1e-2},
                                                              {"_norm", 1},
                                                              {"_size", 1},
                                                              {"_length", 1},
                                                              {"_loss", 1},

                                                              {"_steps", 1},
                                                              {"_samples", 1}};
  for (const auto& [ending, factor] : kEndings) {
    if (name.ends_with(ending)) return factor;
  }
  return 0;
}

TEST(MetricNames, NamesSayTheUnitThatIsConverted) {
  size_t checked_count = 0;
  for (const RoleInfo& info : AllRoles()) {
    for (const std::string_view name : NamesOf(info.role)) {
      const double factor = FactorByName(name);
      const auto found = RoleOf(name, {});
      // DCGM's field of used memory is a ratio; other names depend on labels.
      if (factor == 0 || !found.has_value() || name == "DCGM_FI_DEV_FB_USED_PERCENT") continue;
      EXPECT_EQ(found->factor, factor) << name;
      ++checked_count;
    }
  }
  EXPECT_GT(checked_count, 150u);
}

TEST(MetricNames, AllRolesOfAName) {
  const auto roles = [](std::string_view name) {
    std::string text;
    for (const NameRole& role : RolesOfName(name)) {
      absl::StrAppendFormat(&text, "%s/%s if %s=%s; ", InfoOf(role.role).name, role.part,
                            role.label, role.label_value);
    }
    return text;
  };
  EXPECT_EQ(roles("hw_errors"),
            "gpu_ecc_corrected_total/ if error_type=corrected; "
            "gpu_ecc_uncorrected_total/ if error_type=uncorrected; ");
  EXPECT_EQ(roles("data_time"), "train_phase_seconds/data if =; ");
  EXPECT_EQ(roles("my_time_s"), "train_phase_seconds/my if =; ");
  EXPECT_EQ(roles("gpu_xid_events"), "gpu_xid_events/ if =; ");
  EXPECT_EQ(roles("go_goroutines"), "");
  EXPECT_EQ(roles("_time_s"), "");
}

TEST(MetricNames, PartsComeFromLabels) {
  EXPECT_EQ(Describe("gpu_xid_events", LabelSet::Of({{"xid", "79"}})), "gpu_xid_events/79");
  EXPECT_EQ(Describe("train_phase_seconds", LabelSet::Of({{"phase", "data"}})),
            "train_phase_seconds/data");
  EXPECT_EQ(Describe("train_loss", LabelSet::Of({{"phase", "data"}})), "train_loss");
  EXPECT_EQ(Describe("my_time_s", LabelSet::Of({{"agg", "max"}})), "-");
}

}  // namespace
}  // namespace lockstep::catalogue

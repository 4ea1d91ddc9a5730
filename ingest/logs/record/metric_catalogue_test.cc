#include "ingest/logs/record/metric_catalogue.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"

namespace lockstep::logs {
namespace {

constexpr MetricSource kAllSources[] = {
    MetricSource::kGeneric,        MetricSource::kLogged,        MetricSource::kMegatron,
    MetricSource::kMegatronTimers, MetricSource::kTorchtitan,    MetricSource::kHuggingFace,
    MetricSource::kDeepspeed,      MetricSource::kNanogpt,       MetricSource::kWandbEvents,
    MetricSource::kMlflow,         MetricSource::kNcclInspector, MetricSource::kNvrx};

// "train_loss{group=0} in s", with '?' for a name that the catalogue lacks.
std::string Described(MetricSource source, std::string_view written) {
  const MetricKey key = DescribeMetric(std::array{source}, written);
  EXPECT_EQ(key.written, written);
  std::string text = key.name;
  for (const auto& [name, label] : key.labels) absl::StrAppendFormat(&text, "{%s=%s}", name, label);
  if (!key.unit.empty()) absl::StrAppendFormat(&text, " in %s", key.unit);
  return key.is_known ? text : text + "?";
}

double InUnit(MetricSource source, std::string_view written, double value) {
  return DescribeMetric(std::array{source}, written).InUnit(value);
}

bool HasWord(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

// What a name says about the unit in which it is written.
double FactorOf(MetricSource source, std::string_view written) {
  constexpr double kMiB = 1 << 20;
  if (HasWord(written, {"(GiB)"})) return 1 << 30;
  if (HasWord(written, {"_mb", "MB"})) return kMiB;
  if (HasWord(written, {"_gb"}) && !written.ends_with("gbs")) return 1e9;
  if (HasWord(written, {"_gbs"})) return 1e9;
  if (HasWord(written, {"megabytes"})) return 1e6;
  if (HasWord(written, {"Gbps"})) return 1e9 / 8;
  if (HasWord(written, {"(%)"})) return 1e-2;
  if (written.ends_with("flops_per_sec")) return 1e-12;
  if (HasWord(written, {"_us"}) && written.ends_with("_us")) return 1e-6;
  if (HasWord(written, {"(ms)"}) || written.ends_with("_ms") || HasWord(written, {"_ms_"})) {
    return 1e-3;
  }
  // Some units are known only from the programs that print the names.
  if (source == MetricSource::kMegatron && HasWord(written, {"allocated", "reserved"})) return kMiB;
  if (source == MetricSource::kMegatron && written.ends_with("Rtt")) return 1e-3;
  if (source == MetricSource::kDeepspeed && written == "straggler effect") return 1e-3;
  if (source == MetricSource::kNanogpt && written == "time") return 1e-3;
  if (written == "mfu" &&
      (source == MetricSource::kTorchtitan || source == MetricSource::kNanogpt)) {
    return 1e-2;
  }
  if (source == MetricSource::kWandbEvents && written.starts_with("system.disk.")) return kMiB;
  return 1;
}

TEST(MetricCatalogueTest, ValuesComeInTheUnitThatTheNameSays) {
  for (const MetricSource source : kAllSources) {
    EXPECT_EQ(RowsOf(source).empty(), source == MetricSource::kMegatronTimers);
    for (const MetricRow& row : RowsOf(source)) {
      std::string written(row.written);
      if (const size_t number = written.find("{i}"); number != written.npos) {
        written.replace(number, 3, "3");
      }
      const MetricKey key = DescribeMetric(std::array{source}, written);
      if (key.fold != Fold::kNone) continue;
      EXPECT_DOUBLE_EQ(key.InUnit(1000), 1000 * FactorOf(source, written))
          << written << " of " << static_cast<int>(source);
    }
  }
}

TEST(MetricCatalogueTest, PowersOfTenAreDivisors) {
  // 0.3 s to the last bit; 300 * 1e-3 is not.
  EXPECT_EQ(InUnit(MetricSource::kGeneric, "step_ms", 300), 0.3);
  const MetricKey same = DescribeMetric(std::array{MetricSource::kGeneric}, "loss");
  EXPECT_EQ(same.multiplier, 1);
  EXPECT_EQ(same.divisor, 1);
}

TEST(MetricCatalogueTest, RatiosMayBeWrittenInPercent) {
  EXPECT_EQ(InUnit(MetricSource::kGeneric, "mfu", 1.5), 1.5);
  EXPECT_EQ(InUnit(MetricSource::kGeneric, "mfu", 2), 0.02);
  EXPECT_EQ(InUnit(MetricSource::kWandbEvents, "system.gpu.0.smActive", 50), 0.5);
  EXPECT_EQ(InUnit(MetricSource::kLogged, "device/mfu", 2), 2);
  EXPECT_EQ(InUnit(MetricSource::kWandbEvents, "system.gpu.0.gpu", 50), 50);
}

TEST(MetricCatalogueTest, RatesOfDevicesMayBeWrittenInMebibytes) {
  EXPECT_EQ(InUnit(MetricSource::kWandbEvents, "system.gpu.0.pcieTxBytes", 2), 2097152);
  EXPECT_EQ(InUnit(MetricSource::kWandbEvents, "system.gpu.0.pcieTxBytes", 1e6), 1e6);
  EXPECT_EQ(InUnit(MetricSource::kWandbEvents, "system.network.sent", 2), 2);
}

TEST(MetricCatalogueTest, NumbersInNamesAreDevices) {
  EXPECT_EQ(Described(MetricSource::kWandbEvents, "system.gpu.12.temp"),
            "gpu_temperature_celsius{gpu=12} in celsius");
  EXPECT_EQ(Described(MetricSource::kMlflow, "system/gpu_0_power_usage_watts"),
            "gpu_power_watts{gpu=0} in W");
  for (const std::string_view written :
       {"system.gpu..temp", "system.gpu.x.temp", "system.gpu.1.temps", "system.gpu.1",
        "ssystem.gpu.1.temp"}) {
    EXPECT_EQ(Described(MetricSource::kWandbEvents, written).back(), '?') << written;
  }
}

TEST(MetricCatalogueTest, NestedNamesMayBeJoinedByPoints) {
  EXPECT_EQ(Described(MetricSource::kGeneric, "train.loss"), "train_loss in 1");
  EXPECT_EQ(Described(MetricSource::kGeneric, "train/loss"), "train_loss in 1");
  EXPECT_EQ(Described(MetricSource::kGeneric, "train_losses"), "train_losses?");
  // The other way round they are different names.
  EXPECT_EQ(Described(MetricSource::kNcclInspector, "coll_perf/coll_sn"), "coll_perf_coll_sn?");
}

TEST(MetricCatalogueTest, LearningRatesOfGroups) {
  EXPECT_EQ(Described(MetricSource::kLogged, "lr-AdamW/pg1"),
            "train_learning_rate{group=AdamW/pg1} in 1");
  EXPECT_EQ(Described(MetricSource::kLogged, "lr/0"), "train_learning_rate{group=0} in 1");
  EXPECT_EQ(Described(MetricSource::kLogged, "lrate"), "lrate?");
}

TEST(MetricCatalogueTest, StatisticsOfAllocators) {
  EXPECT_EQ(Described(MetricSource::kLogged, "DeviceStatsMonitor.on_train_batch_end/active.peak"),
            "gpu_torch_memory_stat{hook=on_train_batch_end}{stat=active.peak}");
  EXPECT_EQ(Described(MetricSource::kLogged, "DeviceStatsMonitor.alone"),
            "DeviceStatsMonitor_alone?");
  EXPECT_EQ(Described(MetricSource::kLogged, "memory/peak_allocated_mem"),
            "gpu_torch_memory_stat{stat=peak_allocated_mem} in GB");
  EXPECT_EQ(Described(MetricSource::kLogged, "memory/retries"),
            "gpu_torch_memory_stat{stat=retries}");
  EXPECT_EQ(Described(MetricSource::kLogged, "memories/x"), "memories_x?");
}

TEST(MetricCatalogueTest, ValuesOverSamples) {
  EXPECT_EQ(Described(MetricSource::kLogged, "lm loss vs samples"),
            "train_loss{axis=samples} in 1");
  EXPECT_EQ(Described(MetricSource::kLogged, "x vs samples"), "x{axis=samples}?");
  EXPECT_EQ(Described(MetricSource::kLogged, "x vs samples y"), "x_vs_samples_y?");
}

TEST(MetricCatalogueTest, HuggingFaceNamesOfLoggersAndOfStandardOutput) {
  constexpr auto kSource = MetricSource::kHuggingFace;
  EXPECT_EQ(Described(kSource, "train/loss"), "train_loss in 1");
  EXPECT_EQ(Described(kSource, "eval/loss"), "validation_loss in 1");
  EXPECT_EQ(Described(kSource, "eval_loss"), "validation_loss in 1");
  EXPECT_EQ(Described(kSource, "loss"), "train_loss in 1");
  EXPECT_EQ(Described(kSource, "eval/bleu score"), "validation_bleu_score?");
  EXPECT_EQ(Described(kSource, "eval_bleu"), "validation_bleu?");
  EXPECT_EQ(Described(kSource, "train/bleu"), "train_bleu?");
  EXPECT_EQ(Described(kSource, "bleu"), "bleu?");
}

TEST(MetricCatalogueTest, DisksOfWandb) {
  constexpr auto kSource = MetricSource::kWandbEvents;
  EXPECT_EQ(Described(kSource, "system.disk./a.b.usagePercent"),
            "node_filesystem_used_percent{mountpoint=/a.b} in percent");
  EXPECT_EQ(Described(kSource, "system.disk.usageGB"), "node_filesystem_used_bytes in bytes");
  EXPECT_EQ(InUnit(kSource, "system.disk./a.usageGB", 2), 2e9);
  EXPECT_EQ(Described(kSource, "system.disk.nvme0n1.in"),
            "node_disk_read_bytes_total{device=nvme0n1} in bytes");
  EXPECT_EQ(Described(kSource, "system.disk.nvme0n1.out"),
            "node_disk_written_bytes_total{device=nvme0n1} in bytes");
  EXPECT_EQ(InUnit(kSource, "system.disk.nvme0n1.out", 2), 2097152);
  EXPECT_EQ(Described(kSource, "system.disk.nvme0n1.wait"), "system_disk_nvme0n1_wait?");
  EXPECT_EQ(Described(kSource, "system.disks.in"), "system_disks_in?");
}

TEST(MetricCatalogueTest, ProcessesOfWandbRepeatTheirDevice) {
  const auto role = [](std::string_view written) {
    return DescribeMetric(std::array{MetricSource::kWandbEvents}, written).role;
  };
  EXPECT_EQ(role("system.gpu.process.1.gpu"), KeyRole::kNothing);
  EXPECT_EQ(role("system.gpu.1.gpu"), KeyRole::kValue);
}

TEST(MetricCatalogueTest, TimersOfMegatronArePhases) {
  constexpr auto kSource = MetricSource::kMegatronTimers;
  EXPECT_EQ(Described(kSource, "forward (min)"),
            "train_phase_seconds{phase=forward}{agg=min} in s");
  EXPECT_EQ(Described(kSource, "forward (max)"),
            "train_phase_seconds{phase=forward}{agg=max} in s");
  EXPECT_EQ(Described(kSource, "forward (sum)"), "train_phase_seconds{phase=forward (sum)} in s");
  EXPECT_EQ(InUnit(kSource, "forward", 2500), 2.5);
}

TEST(MetricCatalogueTest, TheFirstSourceThatHasANameDescribesIt) {
  constexpr std::array kOneOrder = {MetricSource::kHuggingFace, MetricSource::kGeneric};
  constexpr std::array kOtherOrder = {MetricSource::kGeneric, MetricSource::kHuggingFace};
  EXPECT_EQ(DescribeMetric(kOneOrder, "train_loss").name, "train_loss_mean");
  EXPECT_EQ(DescribeMetric(kOtherOrder, "train_loss").name, "train_loss");
  EXPECT_EQ(DescribeMetric({}, "train/loss").name, "train_loss");
  EXPECT_FALSE(DescribeMetric({}, "train/loss").is_known);
}

TEST(MetricCatalogueTest, SamplesAndTokensAreAxes) {
  const auto axis = [](std::string_view written) {
    return DescribeMetric(std::array{MetricSource::kGeneric}, written).axis;
  };
  EXPECT_EQ(axis("consumed_samples"), Axis::kSamples);
  EXPECT_EQ(axis("tokens_seen"), Axis::kTokens);
  EXPECT_EQ(axis("tokens"), Axis::kNone);
}

TEST(MetricCatalogueTest, CleanNames) {
  EXPECT_EQ(CleanMetricName("a.b/c d-e"), "a_b_c_d_e");
  EXPECT_EQ(CleanMetricName("aZ09:_x"), "aZ09:_x");
  EXPECT_EQ(CleanMetricName("a...b"), "a_b");
  EXPECT_EQ(CleanMetricName("a_.b__c"), "a_b_c");
  EXPECT_EQ(CleanMetricName("__a__"), "a");
  EXPECT_EQ(CleanMetricName("9lives"), "metric_9lives");
  EXPECT_EQ(CleanMetricName("@[`{/"), "metric_");
  EXPECT_EQ(CleanMetricName(""), "metric_");
}

TEST(MetricCatalogueTest, LabelsOfAnObjectAreLikeItsMembers) {
  ASSERT_TRUE(MeaningOfKey("labels.rank").has_value());
  EXPECT_EQ(MeaningOfKey("labels.rank")->role, KeyRole::kRank);
  EXPECT_EQ(MeaningOfKey("rank")->role, KeyRole::kRank);
  EXPECT_FALSE(MeaningOfKey("label.rank").has_value());
  EXPECT_FALSE(MeaningOfKey("loss").has_value());
}

}  // namespace
}  // namespace lockstep::logs

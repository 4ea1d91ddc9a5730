#include "answers/heat_map.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

PictureMetric AskedMetric(const char* name) {
  const auto metric = PictureMetricOf(name);
  LOCKSTEP_CHECK(metric.has_value());
  return *metric;
}

// Ranks 0 to 3 of job "a" with four steps, and an interface of their host.
class AskedHeatMap : public testing::Test {
 protected:
  AskedHeatMap() {
    for (int64_t n = 0; n < 4; ++n) {
      for (const char* rank : {"0", "1", "2", "3"}) {
        const auto add = [&](const char* name, double value, const char* phase = "") {
          storage_.Append(
              LabelSet::Of({{kMetricName, name}, {"job", "a"}, {"rank", rank}, {"phase", phase}}),
              kFirstMs + 1000 * n, value);
        };
        add("train_step", static_cast<double>(n));
        add("train_step_time_seconds", rank[0] == '2' ? 3 : 1);
      }
    }
  }

  void Add(const std::vector<LabelView>& labels, int64_t at, double value) {
    storage_.Append(LabelSet::Of(labels), kFirstMs + at, value);
  }

  JobHeatMap Ask(const HeatMapQuestion& question) {
    const QuestionContext context{storage_, pool_, budget_, kFirstMs + 10'000};
    const auto map = AnswerHeatMap(question, context);
    LOCKSTEP_CHECK(map.ok());
    return *map;
  }

  static constexpr int64_t kFirstMs = 1'700'000'000'000;
  MemoryStorage storage_;
  TaskPool pool_{0};
  QueryBudget budget_{1'000'000, QueryBudget::Clock::time_point::max()};
};

std::string RanksOf(const JobHeatMap& map) {
  std::string text;
  for (const PictureRow& row : map.rows) {
    absl::StrAppendFormat(&text, "%d-%d ", row.first_rank, row.last_rank);
  }
  return text;
}

TEST_F(AskedHeatMap, HasARowPerRank) {
  const JobHeatMap map =
      Ask({.job = {"a"}, .metric = AskedMetric("step_seconds"), .is_over_steps = true});
  EXPECT_EQ(RanksOf(map), "0-0 1-1 2-2 3-3 ");
  EXPECT_EQ(map.subject.job.name, "a");
  EXPECT_EQ(map.metric.name, "step_seconds");
  EXPECT_TRUE(map.is_over_steps);
  EXPECT_EQ(map.bins.size(), 4u);
  EXPECT_EQ(map.bins[3].first_step, 3);
  EXPECT_EQ(map.cells.mean(2, 0), 3);
  EXPECT_TRUE(map.furthest.empty());
  EXPECT_EQ(map.metrics, std::vector<std::string>{"step_seconds"});
}

TEST_F(AskedHeatMap, RanksShareRows) {
  const JobHeatMap map =
      Ask({.job = {"a"}, .metric = AskedMetric("step_seconds"), .is_over_steps = true, .rows = 2});
  EXPECT_EQ(RanksOf(map), "0-1 2-3 ");
  EXPECT_EQ(map.cells.mean(1, 0), 3);
  EXPECT_EQ(map.furthest(1, 0), 0);
}

TEST_F(AskedHeatMap, OverTimeHasTheBinsThatAreAskedFor) {
  const JobHeatMap map = Ask({.job = {"a"}, .metric = AskedMetric("step_seconds"), .bins = 3});
  EXPECT_FALSE(map.is_over_steps);
  ASSERT_EQ(map.bins.size(), 3u);
  EXPECT_EQ(map.bins[0].first_step, std::nullopt);
  EXPECT_EQ(Ask({.job = {"a"}, .metric = AskedMetric("step_seconds")}).bins.size(), 200u);
}

TEST_F(AskedHeatMap, OneKindOfValueIsEnough) {
  using enum PictureValue;
  for (const auto& [only, shown] :
       {std::pair(kLowest, "l"), {kHighest, "h"}, {kLast, "e"}, {kMean, "m"}}) {
    const JobHeatMap map = Ask(
        {.job = {"a"}, .metric = AskedMetric("step_seconds"), .is_over_steps = true, .only = only});
    EXPECT_EQ(std::string(map.cells.lowest.empty() ? "" : "l") +
                  (map.cells.highest.empty() ? "" : "h") + (map.cells.last.empty() ? "" : "e") +
                  (map.cells.mean.empty() ? "" : "m"),
              shown);
  }
}

TEST_F(AskedHeatMap, NamesTheMetricsOfTheJob) {
  const auto metrics = [this] {
    return Ask({.job = {"a"}, .metric = AskedMetric("step_seconds")}).metrics;
  };
  Add({{kMetricName, "train_loss"}, {"job", "a"}, {"rank", "0"}}, 0, 2);
  Add({{kMetricName, "train_grad_norm"}, {"job", "a"}, {"rank", "0"}}, 0, 2);
  Add({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"}, {"job", "a"}, {"rank", "0"}}, 0, 2);
  Add({{kMetricName, "go_goroutines"}, {"job", "a"}}, 0, 2);
  EXPECT_EQ(metrics(), (std::vector<std::string>{"DCGM_FI_DEV_POWER_USAGE", "grad_norm", "loss",
                                                 "step_seconds"}));
  Add({{kMetricName, "train_phase_seconds"}, {"job", "a"}, {"rank", "0"}, {"phase", "data"}}, 0, 1);
  Add({{kMetricName, "forward_time_s"}, {"job", "a"}, {"rank", "0"}}, 0, 1);
  Add({{kMetricName, "node_network_receive_bytes_total"}, {"device", "eth0"}}, 0, 1);
  EXPECT_EQ(metrics(), (std::vector<std::string>{"DCGM_FI_DEV_POWER_USAGE", "grad_norm", "lateness",
                                                 "loss", "nic_received_bytes_per_second",
                                                 "nic_sent_bytes_per_second", "own_seconds",
                                                 "phase:data", "phase:forward", "step_seconds"}));
}

TEST_F(AskedHeatMap, InterfacesHaveRowsOfTheirOwn) {
  Add({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"},
       {"job", "a"},
       {"rank", "1"},
       {"gpu", "0"},
       {"Hostname", "n1"}},
      0, 700);
  for (const int64_t at : {0, 2000}) {
    Add({{kMetricName, "node_network_transmit_bytes_total"},
         {"device", "eth0"},
         {"instance", "n1:9100"}},
        at, static_cast<double>(at));
  }
  const JobHeatMap map =
      Ask({.job = {"a"}, .metric = AskedMetric("nic_sent_bytes_per_second"), .bins = 2, .rows = 1});
  ASSERT_EQ(map.rows.size(), 1u);
  EXPECT_EQ(map.rows[0].device, "eth0");
  EXPECT_EQ(map.rows[0].first_rank, 1);
  EXPECT_EQ(map.bins.size(), 2u);
  EXPECT_EQ(map.cells.mean(0, 1), 1000);
  EXPECT_TRUE(map.furthest.empty());
}

}  // namespace
}  // namespace lockstep::answers

#include "storage/index/label_split.h"

#include <gtest/gtest.h>

#include <random>

namespace lockstep {
namespace {

void Check(const LabelSet& labels, const LabelSet& target, const LabelSet& metric) {
  std::string target_bytes = "left over", metric_bytes = "left over";
  SplitLabels(labels, target_bytes, metric_bytes);
  EXPECT_EQ(LabelSet::OfPacked(target_bytes), target) << labels.ToString();
  EXPECT_EQ(LabelSet::OfPacked(metric_bytes), metric) << labels.ToString();
  EXPECT_EQ(MergeLabels(target, metric), labels);
}

TEST(LabelSplit, WhatVariesInsideATargetIsTheMetrics) {
  Check({}, {}, {});
  Check(LabelSet::Of({{"__name__", "up"}}), {}, LabelSet::Of({{"__name__", "up"}}));
  Check(LabelSet::Of({{"job", "a"}}), LabelSet::Of({{"job", "a"}}), {});
  Check(LabelSet::Of({{"UUID", "GPU-1"}, {"__name__", "power"}, {"job", "a"}, {"rank", "7"}}),
        LabelSet::Of({{"UUID", "GPU-1"}, {"job", "a"}, {"rank", "7"}}),
        LabelSet::Of({{"__name__", "power"}}));
  Check(LabelSet::Of({{"__name__", "t_bucket"}, {"job", "a"}, {"le", "0.5"}, {"rank", "7"}}),
        LabelSet::Of({{"job", "a"}, {"rank", "7"}}),
        LabelSet::Of({{"__name__", "t_bucket"}, {"le", "0.5"}}));
}

TEST(LabelSplit, OnlyTheNamesOfTheHeader) {
  for (const char* name : {"__name__", "cpu", "direction", "lane", "le", "link", "mode", "phase",
                           "port", "quantile", "state"}) {
    EXPECT_TRUE(IsMetricLabel(name)) << name;
    EXPECT_FALSE(IsMetricLabel(std::string(name) + "s")) << name;
    EXPECT_FALSE(IsMetricLabel(std::string_view(name).substr(1))) << name;
  }
  for (const char* name : {"", "_", "__name", "job", "gpu", "rank", "device", "Mode", "instance"}) {
    EXPECT_FALSE(IsMetricLabel(name)) << name;
  }
}

TEST(LabelSplit, MergesWhatItSplit) {
  std::mt19937 random(5);
  const char* const names[] = {"A", "__name__", "a", "cpu",   "d", "le",
                               "m", "mode",     "r", "state", "z"};
  for (int round = 0; round < 2000; ++round) {
    LabelSetBuilder all, target, metric;
    for (const char* name : names) {
      if (random() % 2 == 0) continue;
      const std::string value(1 + random() % 200, 'x');
      all.Set(name, value);
      (IsMetricLabel(name) ? metric : target).Set(name, value);
    }
    Check(all.Build(), target.Build(), metric.Build());
  }
}

}  // namespace
}  // namespace lockstep

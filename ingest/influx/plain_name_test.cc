#include "ingest/influx/plain_name.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace lockstep {
namespace {

TEST(PlainNameTest, WhatNamesMayNotHaveBecomesUnderscores) {
  const auto metric = [](std::string_view name) {
    std::string out;
    AppendPlainMetricName(out, name);
    return out;
  };
  EXPECT_EQ(metric("http.server-time"), "http_server_time");
  EXPECT_EQ(metric("job:rate"), "job:rate");
  EXPECT_EQ(metric("5xx"), "_5xx");
  EXPECT_EQ(metric("\xc3\xa4"), "__");
  EXPECT_TRUE(IsLegacyMetricName(metric("a b/c")));
}

TEST(PlainNameTest, LabelsHaveNoColons) {
  std::string out = "x";
  AppendPlainLabelName(out, "a:b");
  EXPECT_EQ(out, "xa_b");
}

}  // namespace
}  // namespace lockstep

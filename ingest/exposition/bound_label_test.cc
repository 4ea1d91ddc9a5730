#include "ingest/exposition/bound_label.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::exposition {
namespace {

// The value of the type's bound label.
std::string Unified(std::string_view type, std::string_view series) {
  SeriesLabels labels;
  EXPECT_TRUE(ParseSeries(series, TextFormat::kPrometheus, labels).ok());
  UnifyBound(BoundLabelOf(type), labels);
  std::string text;
  for (const LabelView& label : labels.labels) {
    if (label.name != "__name__") text += std::string(label.name) + "=" + std::string(label.value);
  }
  return text;
}

TEST(BoundLabel, NumbersAreWrittenInOneWay) {
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="1"})"), "le=1.0");
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="1.0"})"), "le=1.0");
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="0.50"})"), "le=0.5");
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="-0"})"), "le=-0.0");
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="1000000"})"), "le=1e+06");
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="+Inf"})"), "le=+Inf");
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="inf"})"), "le=+Inf");
  EXPECT_EQ(Unified("summary", R"(a{quantile="1"})"), "quantile=1.0");
}

TEST(BoundLabel, WhatIsNoBoundStays) {
  EXPECT_EQ(Unified("histogram", R"(a_bucket{le="many"})"), "le=many");
  EXPECT_EQ(Unified("histogram", R"(a{quantile="1"})"), "quantile=1");
  EXPECT_EQ(Unified("gauge", R"(a{le="1"})"), "le=1");
  EXPECT_EQ(Unified("gaugehistogram", R"(a_bucket{le="1"})"), "le=1");
  EXPECT_EQ(Unified("", R"(a_bucket{le="1"})"), "le=1");
}

}  // namespace
}  // namespace lockstep::exposition

#include "ingest/side_data/metadata_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Names(const std::vector<MetadataStore::Metric>& metrics) {
  std::vector<std::string> names;
  for (const auto& metric : metrics) names.push_back(metric.name);
  return names;
}

TEST(MetadataStoreTest, ListsByNameAndKeepsEachVariantOnce) {
  MetadataStore store;
  store.Put({{"up", {"gauge", "1 if up", ""}}, {"http_total", {"counter", "Requests.", ""}}});
  store.Put({{"up", {"gauge", "1 if up", ""}}, {"up", {"gauge", "Other words", ""}}});
  const auto all = store.List({});
  EXPECT_THAT(Names(all), ElementsAre("http_total", "up"));
  EXPECT_THAT(all[1].variants, ElementsAre(MetricMetadata{"gauge", "1 if up", ""},
                                           MetricMetadata{"gauge", "Other words", ""}));
}

TEST(MetadataStoreTest, Filters) {
  MetadataStore store;
  for (const char* name : {"a", "b", "c"}) {
    store.Put({{name, {"gauge", "one", ""}}, {name, {"gauge", "two", ""}}});
  }
  EXPECT_THAT(Names(store.List({.metric = "b"})), ElementsAre("b"));
  EXPECT_THAT(Names(store.List({.metric = "x"})), IsEmpty());
  EXPECT_THAT(Names(store.List({.max_metrics = 2})), ElementsAre("a", "b"));
  EXPECT_EQ(store.List({.max_variants = 1})[0].variants.size(), 1u);
}

TEST(MetadataStoreTest, ForgetsTheOldestOfTooManyVariants) {
  MetadataStore store;
  for (size_t i = 0; i <= MetadataStore::kMaxVariantsPerMetric; ++i) {
    store.Put({{"a", {"gauge", std::to_string(i), ""}}});
  }
  const auto all = store.List({});
  EXPECT_EQ(all[0].variants.size(), MetadataStore::kMaxVariantsPerMetric);
  EXPECT_EQ(all[0].variants.front().help, "1");
}

TEST(MetadataStoreTest, StaysInsideItsBound) {
  MetadataStore store(/*max_bytes=*/2000);
  for (int i = 0; i < 100; ++i) store.Put({{"m" + std::to_string(i), {"gauge", "help", ""}}});
  EXPECT_GT(store.metric_count(), 5u);
  EXPECT_LT(store.metric_count(), 20u);
}

}  // namespace
}  // namespace lockstep

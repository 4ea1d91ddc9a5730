#include "ingest/side_data/metadata_store.h"
#include "absl/strings/str_format.h"

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

TEST(MetadataStoreTest, OldVariantsGiveTheirRoomBack) {
  MetadataStore store(/*max_bytes=*/4000);
  for (int i = 0; i < 1000; ++i) store.Put({{"a", {"gauge", absl::StrFormat("%04d", i), ""}}});
  const auto all = store.List({});
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].variants.size(), MetadataStore::kMaxVariantsPerMetric);
  EXPECT_EQ(all[0].variants.front().help, "0990");
  EXPECT_EQ(all[0].variants.back().help, "0999");
}

TEST(MetadataStoreTest, CountsChanges) {
  MetadataStore store;
  EXPECT_EQ(store.change_count(), 0u);
  store.Put({{"a", {"gauge", "x", ""}}, {"a", {"gauge", "x", ""}}});
  EXPECT_EQ(store.change_count(), 1u);
  store.Put({{"a", {"gauge", "x", "s"}}, {"b", {"gauge", "x", ""}}});
  EXPECT_EQ(store.change_count(), 3u);
  EXPECT_EQ(store.metric_count(), 2u);
  MetadataStore full(/*max_bytes=*/1);
  full.Put({{"a", {"gauge", "x", ""}}});
  EXPECT_EQ(full.change_count(), 0u);
  EXPECT_EQ(full.metric_count(), 0u);
}

TEST(MetadataStoreTest, TextsOfEveryKindTakeRoom) {
  const std::string text(1000, 'x');
  for (const MetadataEntry& entry :
       {MetadataEntry{text, {"gauge", "", ""}}, MetadataEntry{"a", {text, "", ""}},
        MetadataEntry{"a", {"gauge", text, ""}}, MetadataEntry{"a", {"gauge", "", text}}}) {
    MetadataStore small(/*max_bytes=*/1000);
    small.Put({entry});
    EXPECT_EQ(small.metric_count(), 0u);
    MetadataStore large(/*max_bytes=*/2000);
    large.Put({entry});
    EXPECT_EQ(large.metric_count(), 1u);
  }
  // A name that is known takes no room again.
  MetadataStore store(/*max_bytes=*/2000);
  store.Put({{text, {"gauge", "a", ""}}, {text, {"gauge", "b", ""}}});
  EXPECT_EQ(store.List({}).at(0).variants.size(), 2u);
}

TEST(MetadataStoreTest, TextsAreUtf8AndNameAMetric) {
  EXPECT_TRUE(IsUsable({"a", {"gauge", "b", "c"}}));
  EXPECT_TRUE(IsUsable({"a", {"", "", ""}}));
  EXPECT_FALSE(IsUsable({"", {"gauge", "b", "c"}}));
  EXPECT_FALSE(IsUsable({"\xff", {"gauge", "b", "c"}}));
  EXPECT_FALSE(IsUsable({"a", {"gauge", "\xff", "c"}}));
  EXPECT_FALSE(IsUsable({"a", {"gauge", "b", "\xff"}}));
}

}  // namespace
}  // namespace lockstep

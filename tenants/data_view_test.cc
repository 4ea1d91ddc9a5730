#include "tenants/data_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tenants/tenants.h"
#include "tests/memory_storage.h"

namespace lockstep::tenants {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kTimeMs = 1'700'000'000'000;

// Remembers the matchers of the last count.
class CountingStorage : public MemoryStorage {
 public:
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override {
    counted.clear();
    for (const std::vector<Matcher>& matchers : query.matcher_sets) {
      std::string set;
      for (const Matcher& matcher : matchers) set += matcher.ToString() + ";";
      counted.push_back(set);
    }
    return MemoryStorage::Cardinality(query);
  }

  mutable std::vector<std::string> counted;
};

class DataViewTest : public testing::Test {
 protected:
  static TenantOptions Options() {
    TenantOptions options;
    options.engine.threads = 1;
    options.query_cache_bytes = 1 << 20;
    return options;
  }

  void Send(const std::string& tenant, DecodedWrite write) {
    const std::shared_ptr<Tenant> held = *tenants_.ForWriting(tenant);
    bool answered = false;
    held->ingester.Store(std::move(write), [&](absl::StatusOr<WriteSummary> summary) {
      EXPECT_TRUE(summary.ok()) << summary.status();
      answered = true;
    });
    ASSERT_TRUE(answered);
  }

  // A sample of `up` with an exemplar.
  void Write(const std::string& tenant, const std::string& job, double value) {
    const LabelSet labels = LabelSet::Of({{"__name__", "up"}, {"job", job}, {"of_" + job, "1"}});
    DecodedWrite write;
    write.request.series.push_back({labels, {{kTimeMs, value}}, {}});
    write.sample_count = 1;
    write.exemplars.push_back({labels, {Exemplar{{}, value, kTimeMs}}});
    Send(tenant, std::move(write));
  }

  void Describe(const std::string& tenant, const std::string& metric, const std::string& help) {
    DecodedWrite write;
    write.metadata.push_back({metric, {"gauge", help, ""}});
    Send(tenant, std::move(write));
  }

  std::unique_ptr<DataView> View(const std::vector<std::string>& names,
                                 std::optional<Matcher> jobs = std::nullopt) {
    std::vector<std::shared_ptr<Tenant>> tenants;
    for (const std::string& name : names) tenants.push_back(tenants_.ForReading(name));
    return std::make_unique<DataView>(std::move(tenants), std::move(jobs));
  }

  static std::vector<std::string> SeriesOf(const Storage& storage) {
    const auto querier = storage.NewQuerier();
    const std::vector<Matcher> matchers = {Matcher::Equal("__name__", "up")};
    auto set = (*querier)->Select({matchers, kAllTimes});
    std::vector<std::string> series;
    while ((*set)->Next()) series.push_back((*set)->labels().ToString());
    return series;
  }

  // name: value value ..., one string per series.
  static std::vector<std::string> ExemplarLines(const DataView& view, TimeRange range = kAllTimes) {
    std::vector<std::string> lines;
    for (const SeriesExemplars& one : view.Exemplars({{Matcher::Equal("__name__", "up")}}, range)) {
      std::string line = one.series.ToString() + ":";
      for (const Exemplar& exemplar : one.exemplars) {
        line += " " + std::to_string(static_cast<int>(exemplar.value));
      }
      lines.push_back(line);
    }
    return lines;
  }

  // metric: help, help, one string per metric.
  static std::vector<std::string> MetadataLines(const DataView& view,
                                                const MetadataStore::Filter& filter = {}) {
    std::vector<std::string> lines;
    for (const MetadataStore::Metric& metric : view.Metadata(filter)) {
      std::string line = metric.name + ":";
      for (const MetricMetadata& variant : metric.variants) line += " " + variant.help;
      lines.push_back(line);
    }
    return lines;
  }

  static uint64_t HitsOf(const DataView& view) {
    QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
    const auto result = view.range_cache().Execute(
        {.text = "sum(up)", .start_ms = kTimeMs, .end_ms = kTimeMs + 2000, .step_ms = 1000},
        budget);
    EXPECT_TRUE(result.ok()) << result.status();
    return view.range_cache().stats().hit_count;
  }

  CountingStorage store_;
  Tenants tenants_{store_, nullptr, Options()};
};

TEST_F(DataViewTest, OneTenantIsSeenAsItIs) {
  Write("a", "x", 1);
  const auto view = View({"a"});
  const Tenant& tenant = *view->tenants().front();
  EXPECT_EQ(&view->storage(), &tenant.storage);
  EXPECT_EQ(&view->written(), &tenant.written);
  EXPECT_EQ(&view->engine(), &tenant.engine);
  EXPECT_EQ(&view->range_cache(), &tenant.range_cache);
  EXPECT_NE(view->live_jobs(), nullptr);
  EXPECT_FALSE(view->jobs().has_value());
}

TEST_F(DataViewTest, OtherViewsHaveNoLiveJobsAndShareThreads) {
  Write("a", "x", 1);
  const auto joined = View({"a", ""});
  EXPECT_EQ(joined->live_jobs(), nullptr);
  EXPECT_EQ(&joined->engine().pool(), &tenants_.Default().engine.pool());
  const auto held = View({"a"}, Matcher::Equal("job", "x"));
  EXPECT_EQ(held->live_jobs(), nullptr);
  EXPECT_EQ(held->jobs(), Matcher::Equal("job", "x"));
}

TEST_F(DataViewTest, SomeJobsAreAllThatSomeReadersSee) {
  Write("a", "x", 1);
  Write("a", "y", 2);
  Write("b", "x", 3);
  const auto view = View({"a"}, Matcher::Equal("job", "x"));
  EXPECT_THAT(SeriesOf(view->storage()), ElementsAre("up{job=\"x\", of_x=\"1\"}"));
  EXPECT_THAT(SeriesOf(view->written()), ElementsAre("up{job=\"x\", of_x=\"1\"}"));
  for (const Storage* storage : {&view->storage(), &view->written()}) {
    const auto querier = storage->NewQuerier();
    EXPECT_THAT(*(*querier)->LabelNames({{}, kAllTimes}), ElementsAre("__name__", "job", "of_x"));
    EXPECT_THAT(*(*querier)->LabelValues("job", {{}, kAllTimes}), ElementsAre("x"));
    EXPECT_EQ(storage->change_count(), store_.change_count());
    EXPECT_EQ(storage->UnchangedSince(0).max_ms, kTimeMs - 1);
    EXPECT_EQ(storage->stats().series_count, 3u);
  }
  const auto joined = View({"a", "b"}, Matcher::Equal("job", "x"));
  EXPECT_THAT(SeriesOf(joined->written()),
              ElementsAre("up{__tenant_id__=\"a\", job=\"x\", of_x=\"1\"}",
                          "up{__tenant_id__=\"b\", job=\"x\", of_x=\"1\"}"));
  EXPECT_THAT(SeriesOf(joined->storage()),
              ElementsAre("up{__tenant_id__=\"a\", job=\"x\", of_x=\"1\"}",
                          "up{__tenant_id__=\"b\", job=\"x\", of_x=\"1\"}"));
}

TEST_F(DataViewTest, ReadersOfSomeJobsMayNotWrite) {
  const auto view = View({""}, Matcher::Equal("job", "x"));
  absl::Status status;
  const_cast<Storage&>(view->written()).Write({}, [&](absl::StatusOr<WriteOutcome> outcome) {
    status = outcome.status();
  });
  EXPECT_EQ(status,
            absl::PermissionDeniedError("a reader that is restricted to some jobs may not write"));
}

TEST_F(DataViewTest, ReadersOfSomeJobsCountTheirSeries) {
  const auto view = View({""}, Matcher::Equal("job", "x"));
  ASSERT_TRUE(view->written().Cardinality({}).ok());
  EXPECT_THAT(store_.counted, ElementsAre("job=\"x\";"));
  const std::vector<std::vector<Matcher>> sets = {{Matcher::Equal("a", "1")},
                                                  {Matcher::Equal("b", "2")}};
  CardinalityQuery query;
  query.matcher_sets = sets;
  ASSERT_TRUE(view->written().Cardinality(query).ok());
  EXPECT_THAT(store_.counted, ElementsAre("a=\"1\";job=\"x\";", "b=\"2\";job=\"x\";"));
}

// While there is only the default tenant, its series need no matcher.
TEST_F(DataViewTest, TenantsCountTheirSeries) {
  ASSERT_TRUE(View({""})->written().Cardinality({}).ok());
  EXPECT_THAT(store_.counted, IsEmpty());
  Write("a", "x", 1);
  ASSERT_TRUE(View({""})->written().Cardinality({}).ok());
  ASSERT_EQ(store_.counted.size(), 1u);
  const std::string of_default = store_.counted[0];
  const std::vector<std::vector<Matcher>> sets = {{Matcher::Equal("b", "1")}, {}};
  CardinalityQuery query;
  query.matcher_sets = sets;
  ASSERT_TRUE(View({""})->written().Cardinality(query).ok());
  EXPECT_THAT(store_.counted, ElementsAre("b=\"1\";" + of_default, of_default));
  ASSERT_TRUE(View({"a"})->written().Cardinality({}).ok());
  EXPECT_NE(store_.counted[0], of_default);
  EXPECT_THAT(store_.counted[0], testing::EndsWith("=\"a\";"));
}

TEST_F(DataViewTest, ExemplarsOfSeveralTenantsSayWhoseTheyAre) {
  Write("b", "x", 1);
  Write("a", "y", 2);
  Write("a", "x", 3);
  Write("", "x", 4);
  EXPECT_THAT(ExemplarLines(*View({"a"})),
              ElementsAre("up{job=\"x\", of_x=\"1\"}: 3", "up{job=\"y\", of_y=\"1\"}: 2"));
  EXPECT_THAT(ExemplarLines(*View({"b", "", "a"})),
              ElementsAre("up{__tenant_id__=\"a\", job=\"x\", of_x=\"1\"}: 3",
                          "up{__tenant_id__=\"a\", job=\"y\", of_y=\"1\"}: 2",
                          "up{__tenant_id__=\"b\", job=\"x\", of_x=\"1\"}: 1",
                          "up{__tenant_id__=\"default\", job=\"x\", of_x=\"1\"}: 4"));
  const Matcher jobs = Matcher::Equal("job", "y");
  EXPECT_THAT(ExemplarLines(*View({"a"}, jobs)), ElementsAre("up{job=\"y\", of_y=\"1\"}: 2"));
  EXPECT_THAT(ExemplarLines(*View({"a", "b"}, jobs)),
              ElementsAre("up{__tenant_id__=\"a\", job=\"y\", of_y=\"1\"}: 2"));
  EXPECT_THAT(ExemplarLines(*View({"a", "b"}), {kTimeMs + 1, kTimeMs + 2}), IsEmpty());
}

TEST_F(DataViewTest, MetadataOfSeveralTenantsAreOneList) {
  Describe("a", "m", "one");
  Describe("a", "z", "last");
  Describe("b", "m", "two");
  Describe("b", "k", "first");
  Describe("b", "z", "last");
  EXPECT_THAT(MetadataLines(*View({"a"})), ElementsAre("m: one", "z: last"));
  const auto both = View({"a", "b"});
  EXPECT_THAT(MetadataLines(*both), ElementsAre("k: first", "m: one two", "z: last"));
  EXPECT_THAT(MetadataLines(*both, {.metric = "m"}), ElementsAre("m: one two"));
  EXPECT_THAT(MetadataLines(*both, {.max_variants = 1}),
              ElementsAre("k: first", "m: one", "z: last"));
  EXPECT_THAT(MetadataLines(*both, {.max_metrics = 1}), ElementsAre("k: first"));
  EXPECT_THAT(MetadataLines(*both, {.max_metrics = 0}), IsEmpty());
}

TEST_F(DataViewTest, ViewsOfTheSameDataShareAnswers) {
  Write("a", "x", 1);
  Write("b", "x", 2);
  const Matcher jobs = Matcher::Equal("job", "x");
  EXPECT_EQ(HitsOf(*View({"a"}, jobs)), 0u);
  EXPECT_EQ(HitsOf(*View({"a"}, jobs)), 1u);
  EXPECT_EQ(HitsOf(*View({"b"}, jobs)), 0u);
  EXPECT_EQ(HitsOf(*View({"a"}, Matcher::Equal("job", "y"))), 0u);
  EXPECT_EQ(HitsOf(*View({"a"})), 0u);
  // The series of joined storages may change unseen, so their answers are not used again.
  EXPECT_EQ(HitsOf(*View({"a", "b"})), 0u);
  EXPECT_EQ(HitsOf(*View({"a", "b"})), 0u);
}

}  // namespace
}  // namespace lockstep::tenants

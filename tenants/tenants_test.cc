#include "tenants/tenants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/db/store_testing.h"
#include "tenants/data_view.h"
#include "tenants/kept_rows_testing.h"

namespace lockstep::tenants {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kSampleMs = kTestNowMs - 1000;

class TenantsTest : public testing::Test {
 protected:
  TenantsTest() { EXPECT_TRUE(tenants_.Load().ok()); }

  static TenantOptions Options() {
    TenantOptions options;
    options.engine.threads = 2;
    options.query_cache_bytes = 1 << 20;
    return options;
  }

  void Write(const std::string& tenant, const std::string& job, double value) {
    DecodedWrite write;
    write.request.series.push_back(
        {LabelSet::Of({{"__name__", "up"}, {"job", job}}), {{kSampleMs, value}}, {}});
    write.sample_count = 1;
    write.metadata.push_back({"up", {"gauge", "of " + tenant, ""}});
    absl::Status status;
    (*tenants_.ForWriting(tenant))
        ->ingester.Store(std::move(write), [&](absl::StatusOr<WriteSummary> summary) {
          status = summary.status();
          done_.store(true);
          done_.notify_all();
        });
    done_.wait(false);
    done_ = false;
    ASSERT_TRUE(status.ok());
  }

  std::shared_ptr<DataView> View(const std::vector<std::string>& names,
                                 std::optional<Matcher> jobs = std::nullopt) {
    std::vector<std::shared_ptr<Tenant>> tenants;
    for (const std::string& name : names) tenants.push_back(tenants_.ForReading(name));
    return std::make_shared<DataView>(std::move(tenants), std::move(jobs));
  }
  // Twice: the second answer comes from the cache, where there is one.
  static double Ask(const DataView& view, std::string_view query) {
    double value = -1;
    for (int i = 0; i < 2; ++i) {
      QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
      const auto result = view.range_cache().Execute({.text = query,
                                                      .start_ms = kSampleMs + 1000,
                                                      .end_ms = kSampleMs + 3000,
                                                      .step_ms = 1000},
                                                     budget);
      EXPECT_TRUE(result.ok()) << result.status();
      const auto& matrix = std::get<engine::MatrixResult>(result->value);
      value = matrix.empty() ? -1 : matrix.front().samples.values.back();
    }
    return value;
  }

  kv::TestFolder folder_;
  std::unique_ptr<Store> store_ = MustOpen(TestOptions(folder_));
  RowsInMemory rows_;
  Tenants tenants_{*store_, &rows_, Options()};
  std::atomic<bool> done_{false};
};

TEST_F(TenantsTest, EqualQueriesOfTenantsHaveAnswersOfTheirOwn) {
  Write("", "x", 1);
  Write("a", "x", 10);
  Write("b", "y", 100);
  EXPECT_EQ(Ask(*View({""}), "sum(up)"), 1);
  EXPECT_EQ(Ask(*View({"a"}), "sum(up)"), 10);
  EXPECT_EQ(Ask(*View({"b"}), "sum(up)"), 100);
  EXPECT_EQ(Ask(*View({"a", "b"}), "sum(up)"), 110);
  EXPECT_EQ(Ask(*View({"a", "b", ""}), "sum(up)"), 111);
  EXPECT_EQ(Ask(*View({"", "b"}), "sum(up)"), 101);
  const Matcher jobs = *Matcher::Make(MatchType::kRegex, "job", "x");
  EXPECT_EQ(Ask(*View({"a", "b"}, jobs), "sum(up)"), 10);
  EXPECT_EQ(Ask(*View({"b"}, jobs), "sum(up)"), -1);
}

TEST_F(TenantsTest, WhoHasNotWrittenHasNothing) {
  Write("", "x", 1);
  EXPECT_EQ(Ask(*View({"nobody"}), "sum(up)"), -1);
  EXPECT_EQ(tenants_.directory().Find("nobody"), std::nullopt);
  EXPECT_EQ(tenants_.active().size(), 1u);
}

TEST_F(TenantsTest, MetadataAreTheTenants) {
  Write("", "x", 1);
  Write("a", "x", 10);
  const auto help = [&](const std::vector<std::string>& names) {
    std::vector<std::string> helps;
    for (const MetadataStore::Metric& metric : View(names)->Metadata({})) {
      for (const MetricMetadata& variant : metric.variants) helps.push_back(variant.help);
    }
    return helps;
  };
  EXPECT_THAT(help({""}), ElementsAre("of "));
  EXPECT_THAT(help({"a"}), ElementsAre("of a"));
  EXPECT_THAT(help({"b"}), IsEmpty());
  EXPECT_THAT(help({"a", ""}), ElementsAre("of a", "of "));
}

TEST_F(TenantsTest, EachHasItsRateAndAllHaveOne) {
  Tenants limited(*store_, nullptr, Options());
  limited.SetLimits({.max_samples_per_second = 1000},
                    {{*Matcher::Make(MatchType::kRegex, "tenant", "slow"), 0, 10}});
  const auto write = [&](const std::string& tenant, uint64_t count) {
    DecodedWrite decoded;
    decoded.sample_count = count;
    absl::Status status;
    (*limited.ForWriting(tenant))
        ->ingester.StoreWithinRate(
            {}, std::move(decoded),
            [&](absl::StatusOr<WriteSummary> summary) { status = summary.status(); });
    return status.code();
  };
  EXPECT_EQ(write("slow", 500), absl::StatusCode::kOk);
  EXPECT_EQ(write("slow", 1), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(write("quick", 100'000), absl::StatusCode::kOk);
  EXPECT_EQ(write("quick", 1000), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(write("", 1000), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace lockstep::tenants

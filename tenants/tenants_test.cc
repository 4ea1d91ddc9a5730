#include "tenants/tenants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/tenant.h"
#include "storage/db/store_testing.h"
#include "storage/kept_rows_testing.h"
#include "tenants/data_view.h"
#include "tests/memory_storage.h"
#include "tests/support/test_folder.h"

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
    Send(tenant, std::move(write));
  }

  static DecodedWrite UpAt(int64_t time_ms) {
    DecodedWrite write;
    write.request.series.push_back({LabelSet::Of({{"__name__", "up"}}), {{time_ms, 1}}, {}});
    write.sample_count = 1;
    return write;
  }
  WriteSummary Send(const std::string& tenant, DecodedWrite write) {
    absl::StatusOr<WriteSummary> answer = absl::UnknownError("");
    const std::shared_ptr<Tenant> held = *tenants_.ForWriting(tenant);
    held->ingester.Store(std::move(write), [&](absl::StatusOr<WriteSummary> summary) {
      answer = std::move(summary);
      done_.store(true);
      done_.notify_all();
    });
    done_.wait(false);
    done_ = false;
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *std::move(answer) : WriteSummary();
  }

  std::shared_ptr<DataView> View(const std::vector<std::string>& names,
                                 std::optional<Matcher> jobs = std::nullopt) {
    std::vector<std::shared_ptr<Tenant>> tenants;
    for (const std::string& name : names) tenants.push_back(tenants_.ForReading(name));
    return std::make_shared<DataView>(std::move(tenants), std::move(jobs));
  }
  // Asks twice: the second answer comes from the cache, if there is one.
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

  TestFolder folder_;
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

TEST_F(TenantsTest, NobodyIsMadeByWhatIsNotKept) {
  const SeriesExemplars exemplars = {LabelSet::Of({{"__name__", "up"}}),
                                     {Exemplar{{}, 1, kSampleMs}}};
  Send("empty", {});
  DecodedWrite too_old = UpAt(1);
  too_old.metadata.push_back({"up", {"gauge", "", ""}});
  too_old.exemplars.push_back(exemplars);
  EXPECT_EQ(Send("old", std::move(too_old)).refusals.sample_count(), 1u);
  DecodedWrite refused;
  refused.refusals.Add(RejectReason::kNoMetricName, 1, {}, "no name");
  refused.metadata.push_back({"up", {"gauge", "", ""}});
  Send("refused", std::move(refused));
  EXPECT_EQ(tenants_.directory().names(), (std::vector<std::string>{""}));
  EXPECT_EQ(tenants_.active().size(), 1u);
  EXPECT_EQ(tenants_.past_stats().ingest.samples, 1u);

  DecodedWrite metadata;
  metadata.metadata.push_back({"up", {"gauge", "", ""}});
  Send("metadata", std::move(metadata));
  DecodedWrite only_exemplars;
  only_exemplars.exemplars.push_back(exemplars);
  EXPECT_EQ(Send("exemplars", std::move(only_exemplars)).exemplars_written, 1u);
  Send("samples", UpAt(kSampleMs));
  EXPECT_EQ(tenants_.directory().names(),
            (std::vector<std::string>{"", "metadata", "exemplars", "samples"}));
  EXPECT_EQ(View({"metadata"})->Metadata({}).size(), 1u);
  EXPECT_EQ(tenants_.active().size(), 4u);
}

TEST_F(TenantsTest, WhatComesWithTheFirstSamplesIsKeptToo) {
  DecodedWrite write = UpAt(kSampleMs);
  write.metadata.push_back({"up", {"gauge", "", ""}});
  write.exemplars.push_back({LabelSet::Of({{"__name__", "up"}}), {Exemplar{{}, 1, kSampleMs}}});
  EXPECT_EQ(Send("a", std::move(write)).exemplars_written, 1u);
  EXPECT_EQ(View({"a"})->Metadata({}).size(), 1u);
  EXPECT_EQ(Ask(*View({"a"}), "up"), 1);
}

TEST_F(TenantsTest, ANewTenantIsOneForAllWhoWrite) {
  const std::shared_ptr<Tenant> first = *tenants_.ForWriting("a");
  EXPECT_EQ(*tenants_.ForWriting("a"), first);
  Send("a", UpAt(kSampleMs));
  EXPECT_EQ(*tenants_.ForWriting("a"), first);
  EXPECT_EQ(tenants_.ForReading("a"), first);
}

TEST_F(TenantsTest, LogStreamsMakeATenantWhenTheyHaveTakenSomething) {
  const auto push = [&](const std::string& tenant, const std::string& stream,
                        const std::string& bytes) {
    logs::LogHints hints;
    hints.format = "jsonl";
    push::LogPush log;
    log.bytes = bytes;
    log.arrival_ms = kSampleMs;
    const std::shared_ptr<Tenant> held = *tenants_.ForWriting(tenant);
    absl::Status status = absl::UnknownError("");
    held->pusher.Push(stream, hints, log, [&](push::PushResult result) { status = result.status; });
    return status;
  };
  EXPECT_TRUE(push("a", "", "").ok());
  EXPECT_TRUE(push("a", "", "not json\n").ok());
  EXPECT_TRUE(push("a", "stream", "").ok());
  EXPECT_EQ(tenants_.directory().Find("a"), std::nullopt);
  // The next push continues there.
  EXPECT_TRUE(push("a", "stream", "not json\n").ok());
  EXPECT_EQ(tenants_.directory().Find("a"), 1u);
}

TEST_F(TenantsTest, TenantsOfStoredSamplesAreFoundAgain) {
  Send("a", UpAt(kSampleMs));
  // As if the process had ended between writing the samples and updating the directory.
  RowsInMemory nothing;
  Tenants again(*store_, &nothing, Options());
  ASSERT_TRUE(again.Load().ok());
  EXPECT_EQ(again.directory().Find("a"), 1u);
  QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
  const DataView view({again.ForReading("")}, std::nullopt);
  EXPECT_EQ(Ask(view, "up"), -1);
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
  std::vector<std::shared_ptr<Tenant>> held;  // none of their data is stored
  const auto write = [&](const std::string& tenant, uint64_t count) {
    DecodedWrite decoded;
    decoded.sample_count = count;
    absl::Status status;
    held.push_back(*limited.ForWriting(tenant));
    held.back()->ingester.StoreWithinRate(
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

TEST_F(TenantsTest, TheFirstLimitThatMatchesApplies) {
  Tenants limited(*store_, nullptr, Options());
  limited.SetLimits({}, {{*Matcher::Make(MatchType::kRegex, "tenant", "a.*"), 0, 0},
                         {std::nullopt, 0, 10},
                         {*Matcher::Make(MatchType::kRegex, "tenant", "b"), 0, 0}});
  std::vector<std::shared_ptr<Tenant>> held;
  const auto is_taken = [&](const std::string& tenant, uint64_t count) {
    DecodedWrite decoded;
    decoded.sample_count = count;
    absl::Status status;
    held.push_back(*limited.ForWriting(tenant));
    held.back()->ingester.StoreWithinRate(
        {}, std::move(decoded),
        [&](absl::StatusOr<WriteSummary> summary) { status = summary.status(); });
    return status.ok();
  };
  EXPECT_TRUE(is_taken("ab", 100'000));
  EXPECT_TRUE(is_taken("ab", 1));
  // After a large request, one has to wait.
  EXPECT_TRUE(is_taken("b", 100'000));
  EXPECT_FALSE(is_taken("b", 1));
  EXPECT_TRUE(is_taken("", 100'000));
  EXPECT_FALSE(is_taken("", 1));
  // Those who exist get new limits; the default tenant is called by its id.
  limited.SetLimits({}, {{*Matcher::Make(MatchType::kEqual, "tenant", "default"), 0, 10}});
  EXPECT_TRUE(is_taken("b", 1));
  EXPECT_FALSE(is_taken("", 1));
}

TEST_F(TenantsTest, ThereIsNoRoomForMoreThanTheStoreMayHave) {
  std::vector<std::shared_ptr<Tenant>> held;
  MemoryStorage store;
  for (size_t i = 0; i < kMaxTenants; ++i) {
    store.Append(WithTenant("t" + std::to_string(i), LabelSet::Of({{"__name__", "up"}})), 0, 1);
  }
  Tenants full(store, nullptr, Options());
  ASSERT_TRUE(full.Load().ok());
  EXPECT_TRUE(full.ForWriting("t7").ok());
  EXPECT_TRUE(full.ForWriting("").ok());
  EXPECT_EQ(full.ForWriting("one-more").status(),
            absl::ResourceExhaustedError("the store already has the maximum of 1000 tenants"));
  EXPECT_EQ(full.ForReading("one-more")->name, "one-more");
  EXPECT_EQ(full.active().size(), 2u);
}

TEST_F(TenantsTest, WhoIsGoneIsCounted) {
  DecodedWrite refused;
  refused.refusals.Add(RejectReason::kNoMetricName, 3, {}, "no name");
  Send("a", std::move(refused));
  logs::LogHints hints;
  hints.format = "jsonl";
  push::LogPush log;
  log.bytes = "not json\n";
  log.arrival_ms = kSampleMs;
  (*tenants_.ForWriting("b"))->pusher.Push("", hints, log, [](push::PushResult) {});
  const Tenants::PastStats past = tenants_.past_stats();
  EXPECT_EQ(past.ingest.rejected_samples[static_cast<size_t>(RejectReason::kNoMetricName)], 3u);
  EXPECT_EQ(past.push.pushes, 1u);
}

}  // namespace
}  // namespace lockstep::tenants

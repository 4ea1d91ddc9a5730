#include "tenants/tenant_storage.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "model/tenant.h"
#include "storage/db/store_testing.h"
#include "storage/kept_rows_testing.h"
#include "tenants/tenant_admin.h"
#include "tests/memory_storage.h"
#include "tests/support/test_folder.h"

namespace lockstep::tenants {
namespace {

constexpr int64_t kTime = kTestNowMs - 1000;

// A store shared by three tenants, and a separate store for each of them.
class TenantStorageTest : public testing::TestWithParam<uint32_t> {
 protected:
  TenantStorageTest() {
    StoreOptions options = TestOptions(folder_);
    options.shard_count = GetParam();
    store_ = MustOpen(options);
    directory_ = std::make_unique<TenantDirectory>(store_.get());
    EXPECT_TRUE(directory_->Load().ok());
    for (const std::string name : {"", "a", "b"}) {
      entries_[name] = std::make_unique<TenantEntry>(*directory_, name);
      views_[name] = std::make_unique<TenantStorage>(*store_, *entries_[name]);
      folders_.push_back(std::make_unique<TestFolder>());
      StoreOptions own = TestOptions(*folders_.back());
      own.shard_count = GetParam();
      owns_[name] = MustOpen(own);
    }
  }

  void Write(const std::string& tenant, const LabelSet& labels, double value,
             int64_t time_ms = kTime) {
    for (Storage* storage : {static_cast<Storage*>(views_[tenant].get()),
                             static_cast<Storage*>(owns_[tenant].get())}) {
      WriteRequest request;
      request.series.push_back({labels, {{time_ms, value}}, {}});
      // Like later samples of senders, which use the store's series numbers.
      const auto outcome = WriteAndWait(*storage, WithKnownSeries(*storage, std::move(request)));
      ASSERT_TRUE(outcome.ok());
      ASSERT_EQ(outcome->rejected_count, 0u);
    }
  }
  // Checks that each tenant sees the same as with its separate store.
  void Check() {
    for (const auto& [name, view] : views_) {
      EXPECT_EQ(Dump(*view), Dump(*owns_[name])) << name;
      const auto querier = view->NewQuerier();
      const auto own = owns_[name]->NewQuerier();
      ASSERT_TRUE(querier.ok() && own.ok());
      const Selection all{{}, kAllTimes};
      EXPECT_EQ(*(*querier)->LabelNames(all), *(*own)->LabelNames(all)) << name;
      for (const std::string& label :
           {std::string("job"), std::string("__name__"), std::string(kTenantLabel)}) {
        EXPECT_EQ(*(*querier)->LabelValues(label, all), *(*own)->LabelValues(label, all));
      }
      const auto counted = view->Cardinality({});
      const auto expected = owns_[name]->Cardinality({});
      ASSERT_TRUE(counted.ok() && expected.ok());
      EXPECT_EQ(counted->series_count, expected->series_count);
      EXPECT_EQ(counted->series_by_job, expected->series_by_job);
      EXPECT_EQ(counted->values_by_label_name, expected->values_by_label_name);
      EXPECT_EQ(counted->series_by_label_pair, expected->series_by_label_pair);
      EXPECT_EQ(counted->churn[0].by_job, expected->churn[0].by_job) << name;
    }
  }
  void WriteAll() {
    for (const std::string tenant : {"", "a", "b"}) {
      for (int i = 0; i < 5; ++i) {
        const double value = 10 * i + static_cast<double>(tenant.size() + (tenant == "b"));
        Write(tenant, Series("up", "train", i), value);
        Write(tenant, Series("up", "train", i), value + 1, kTime + 500);
        Write(tenant, LabelSet::Of({{"A", "1"}, {"__name__", "up"}, {"job", "j" + tenant}}), value,
              kTime + i);
      }
    }
  }

  TestFolder folder_;
  std::vector<std::unique_ptr<TestFolder>> folders_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<TenantDirectory> directory_;
  std::map<std::string, std::unique_ptr<TenantEntry>> entries_;
  std::map<std::string, std::unique_ptr<TenantStorage>> views_;
  std::map<std::string, std::unique_ptr<Store>> owns_;
};

INSTANTIATE_TEST_SUITE_P(Shards, TenantStorageTest, testing::Values(1, 7));

TEST_P(TenantStorageTest, EachSeesWhatItWouldSeeAlone) {
  Write("", Series("up"), 1);
  EXPECT_EQ(Dump(*views_[""]), Dump(*store_));
  Check();
  WriteAll();
  Check();
  ASSERT_TRUE(store_->Seal().ok());
  Check();
}

TEST_P(TenantStorageTest, EachDeletesItsOwn) {
  WriteAll();
  for (const std::string tenant : {"a", ""}) {
    const std::vector<std::vector<Matcher>> sets = {{Matcher::Equal("job", "train")}};
    const TimeRange range = {kTime - 10, kTime + 200};
    ASSERT_TRUE(TenantAdmin(*store_, tenant).DeleteSeries(sets, range).ok());
    ASSERT_TRUE(owns_[tenant]->DeleteSeries(sets, range).ok());
    Check();
  }
  ASSERT_TRUE(TenantAdmin(*store_, "b").DeleteSeries({}, kAllTimes).ok());
  ASSERT_TRUE(owns_["b"]->DeleteSeries({}, kAllTimes).ok());
  EXPECT_EQ(Dump(*views_["b"]), "");
  EXPECT_NE(Dump(*views_[""]), "");
}

TEST_P(TenantStorageTest, NobodyReachesOthersByTheLabelOfTheirTenant) {
  WriteAll();
  for (const auto& [name, view] : views_) {
    for (const std::string other : {"", "a", "b"}) {
      const std::string found =
          Dump(*view, kAllTimes, {Matcher::Equal(std::string(kTenantLabel), other)});
      EXPECT_EQ(found, other == name ? Dump(*view) : "") << name << " asks for " << other;
    }
  }
}

TEST_P(TenantStorageTest, RefusedSeriesAreToldAsTheirSenderSpelledThem) {
  WriteRequest request;
  request.series.push_back({Series("up"), {{0, 1}}, {}});
  const auto outcome = WriteAndWait(*views_["a"], std::move(request));
  ASSERT_TRUE(outcome.ok());
  ASSERT_EQ(outcome->rejected.size(), 1u);
  EXPECT_EQ(outcome->rejected.front().labels, Series("up"));
  EXPECT_EQ(entries_["a"]->number(), std::nullopt);
}

// The state of a write of one sample by a tenant that may be new.
class FirstWriteTest : public testing::Test {
 protected:
  absl::Status Write(const std::string& tenant, std::vector<Sample> samples) {
    TenantEntry entry(directory_, tenant);
    TenantStorage storage(store_, entry);
    WriteRequest request;
    request.series.push_back({Series("up"), std::move(samples), {}});
    absl::Status status = absl::UnknownError("no answer");
    storage.Write(std::move(request),
                  [&](absl::StatusOr<WriteOutcome> outcome) { status = outcome.status(); });
    return status;
  }

  MemoryStorage store_;
  RowsInMemory rows_;
  TenantDirectory directory_{&rows_};
};

TEST_F(FirstWriteTest, MakesTheTenant) {
  EXPECT_TRUE(Write("a", {}).ok());
  EXPECT_EQ(directory_.Find("a"), std::nullopt);
  EXPECT_TRUE(Write("a", {{kTime, 1}}).ok());
  EXPECT_EQ(directory_.Find("a"), 1u);
}

TEST_F(FirstWriteTest, FailsIfTheTenantCannotBeKept) {
  rows_.refuses = true;
  EXPECT_TRUE(absl::IsUnavailable(Write("a", {{kTime, 1}})));
  EXPECT_EQ(directory_.Find("a"), std::nullopt);
  rows_.refuses = false;
  // The retry finds the sample.
  EXPECT_TRUE(Write("a", {{kTime, 1}}).ok());
  EXPECT_EQ(directory_.Find("a"), 1u);
}

TEST_F(FirstWriteTest, OverwrittenSamplesMakeATenantToo) {
  rows_.refuses = true;
  EXPECT_FALSE(Write("a", {{kTime, 1}}).ok());
  rows_.refuses = false;
  EXPECT_TRUE(Write("a", {{kTime, 2}}).ok());
  EXPECT_EQ(directory_.Find("a"), 1u);
}

TEST_F(FirstWriteTest, LeavesNoReservation) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kMaxTenants - 1; ++i) names.push_back("t" + std::to_string(i));
  ASSERT_TRUE(directory_.Adopt(names).ok());
  EXPECT_TRUE(Write("a", {}).ok());
  EXPECT_TRUE(Write("b", {{kTime, 1}}).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Write("c", {{kTime, 1}})));
  // Nothing of it was stored.
  EXPECT_EQ(store_.stats().head_sample_count, 1u);
}

TEST_F(FirstWriteTest, PartsOfATenantsSeriesKeepTheirPlaces) {
  for (int i = 0; i < 5; ++i) {
    store_.Append(WithTenant("a", Series("up", "train", i)), kTime, i);
    store_.Append(Series("up", "train", i), kTime, 10 + i);
  }
  ASSERT_TRUE(directory_.Add("a").ok());
  TenantEntry entry(directory_, "a");
  const TenantStorage storage(store_, entry);
  const auto querier = storage.NewQuerier();
  const std::vector<Matcher> matchers = {Matcher::Equal("__name__", "up")};
  auto set = (*querier)->Select({matchers, kAllTimes});
  ASSERT_TRUE(set.ok());
  EXPECT_EQ((*set)->size(), 5u);
  EXPECT_EQ((*set)->work(), 5u);
  size_t position = 0;
  for (const std::unique_ptr<SeriesSet>& part : (*set)->Split(2)) {
    while (part->Next()) {
      EXPECT_EQ(part->position(), position);
      EXPECT_FALSE(part->labels().Has(kTenantLabel));
      SampleColumns columns;
      ASSERT_TRUE(part->Read(columns).ok());
      ASSERT_EQ(columns.values.size(), 1u);
      EXPECT_EQ(columns.values[0], static_cast<double>(position));
      ++position;
    }
    EXPECT_TRUE(part->status().ok());
  }
  EXPECT_EQ(position, 5u);
}

}  // namespace
}  // namespace lockstep::tenants

// Tests which data a request reaches, by its tenants and by what its credential grants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/api_testing.h"
#include "scrape/config/scrape_config_file.h"
#include "scrape/scraper.h"
#include "storage/storage_admin.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

// Each tenant has a series `m` with its own value: 1, 2 and 3.
class ApiTenantsTest : public ApiFixture {
 protected:
  ApiTenantsTest() {
    EXPECT_EQ(WriteAs("", "m{job=\"x\"} 1"), 204);
    EXPECT_EQ(WriteAs("team", "m{job=\"x\"} 2"), 204);
    EXPECT_EQ(WriteAs("other", "m{job=\"y\"} 3"), 204);
  }

  Response SendAs(const std::string& tenants, std::string method, std::string target,
                  const Grant& grant = {}, std::string body = {}) {
    Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    if (!tenants.empty()) request.headers.push_back({"X-Scope-OrgID", tenants});
    request.grant = grant;
    return Send(std::move(request));
  }
  int WriteAs(const std::string& tenants, const std::string& line) {
    return SendAs(tenants, "POST", "/api/v1/import/prometheus", {}, line + "\n").status;
  }
  // The result of a query for the sum, "" for none.
  std::string Sum(const std::string& tenants, const Grant& grant = {}) {
    const Response response = SendAs(tenants, "GET", "/api/v1/query?query=sum(m)", grant);
    EXPECT_EQ(response.status, 200) << response.body;
    const size_t begin = response.body.find(".781,\"");
    if (begin == std::string::npos) return "";
    return response.body.substr(begin + 6, response.body.find('"', begin + 6) - begin - 6);
  }
};

Grant GrantOf(std::optional<std::vector<std::string>> tenants, bool may_cross = false) {
  Grant grant;
  grant.roles = RoleSet();
  grant.roles.Add(Role::kRead);
  if (may_cross) grant.roles.Add(Role::kCrossTenant);
  grant.tenants = std::move(tenants);
  return grant;
}

TEST_F(ApiTenantsTest, TheHeaderSelectsTheTenant) {
  EXPECT_EQ(Sum(""), "1");
  EXPECT_EQ(Sum("default"), "1");
  EXPECT_EQ(Sum("team"), "2");
  EXPECT_EQ(Sum("nobody"), "");
  EXPECT_EQ(Sum("team|other"), "5");
  EXPECT_EQ(Sum("default|team|other|team"), "6");
}

TEST_F(ApiTenantsTest, ACredentialLimitsTheTenants) {
  EXPECT_EQ(Sum("", GrantOf({{"team"}})), "2");
  EXPECT_EQ(Sum("team", GrantOf({{"team", "other"}})), "2");
  EXPECT_EQ(Sum("team|other", GrantOf({{"team", "other"}}, true)), "5");
  EXPECT_EQ(Sum("", GrantOf({{"", "team"}})), "1");
  const auto refusal = [this](const std::string& tenants, const Grant& grant) {
    const Response response = SendAs(tenants, "GET", "/api/v1/query?query=m", grant);
    EXPECT_EQ(response.status, 403);
    EXPECT_THAT(response.content_type, HasSubstr("text/plain"));
    return response.body;
  };
  EXPECT_EQ(refusal("other", GrantOf({{"team"}})),
            "this credential does not give access to the tenant \"other\"\n");
  EXPECT_EQ(refusal("team|other", GrantOf(std::nullopt)),
            "reading several tenants at once requires the role cross-tenant\n");
  EXPECT_EQ(refusal("", GrantOf({{"team", "other"}})),
            "this credential gives access to the tenants team, other; select one of them with the "
            "header X-Scope-OrgID\n");
}

TEST_F(ApiTenantsTest, ATenantThatIsNoneIsRefused) {
  const Response response = SendAs("a/b", "GET", "/api/v1/query?query=m");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("X-Scope-OrgID"));
  // Whoever monitors the server need not know any.
  EXPECT_EQ(SendAs("a/b", "GET", "/-/healthy").status, 200);
}

TEST_F(ApiTenantsTest, ARequestNamesSoManyTenants) {
  std::string tenants = "t0";
  for (int i = 1; i < 64; ++i) tenants += absl::StrFormat("|t%d", i);
  EXPECT_EQ(SendAs(tenants + "|t0", "GET", "/api/v1/query?query=m").status, 200);
  const Response refused = SendAs(tenants + "|t64", "GET", "/api/v1/query?query=m");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body, "X-Scope-OrgID names more than 64 tenants\n");
}

TEST_F(ApiTenantsTest, SamplesAreWrittenToOneTenant) {
  const Response refused =
      SendAs("team|other", "POST", "/api/v1/import/prometheus", {}, "m{job=\"x\"} 9\n");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body, "samples can be written to only one tenant at a time\n");
  EXPECT_EQ(Sum("team|other"), "5");
}

TEST_F(ApiTenantsTest, WhatConcernsAllTenantsNeedsAccessToAll) {
  Grant grant = GrantOf({{"team"}});
  grant.roles = RoleSet::All();
  const Response refused = SendAs("", "GET", "/api/v1/status/flags", grant);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body,
            "this path requires access to all tenants, but this credential is restricted to some "
            "of them\n");
  EXPECT_EQ(SendAs("", "GET", "/api/v1/status/buildinfo", grant).status, 200);
  EXPECT_EQ(SendAs("", "GET", "/api/v1/rules", grant).status, 200);
  grant.tenants.reset();
  EXPECT_EQ(SendAs("", "GET", "/api/v1/status/flags", grant).status, 200);
}

TEST_F(ApiTenantsTest, WhatConcernsAllJobsNeedsAccessToAll) {
  Grant grant;
  grant.jobs = Matcher::Equal("job", "x");
  for (const char* path : {"/api/v1/rules", "/api/v1/status/flags"}) {
    const Response refused = SendAs("", "GET", path, grant);
    EXPECT_EQ(refused.status, 403) << path;
    EXPECT_EQ(refused.body,
              "this path requires access to all jobs, but this credential is restricted to some "
              "of them\n");
  }
  EXPECT_EQ(Sum("team|other", grant), "2");
  EXPECT_EQ(Sum("other", grant), "");
  grant.jobs.reset();
  EXPECT_EQ(SendAs("", "GET", "/api/v1/rules", grant).status, 200);
}

TEST_F(ApiTenantsTest, CountersAreThoseOfAllTenants) {
  const ApiStats stats = api_->stats();
  EXPECT_EQ(stats.ingest.samples, 3u);
  EXPECT_EQ(stats.ingest.requests, 3u);
}

// Records what it should delete.
class DeletingAdmin : public StorageAdmin {
 public:
  absl::StatusOr<BackupSummary> Backup(const std::string&, size_t) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::string> Snapshot() override { return absl::UnimplementedError(""); }
  absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                            TimeRange) override {
    for (const Matcher& matcher : matcher_sets[0]) deleted += matcher.value() + ";";
    return absl::OkStatus();
  }
  absl::Status CleanTombstones() override { return absl::UnimplementedError(""); }

  std::string deleted;
};

TEST_F(ApiTenantsTest, SeriesOfOneTenantAreDeleted) {
  constexpr const char* kDelete = "/api/v1/admin/tsdb/delete_series?match[]=m";
  EXPECT_EQ(SendAs("team", "POST", kDelete).status, 503);
  DeletingAdmin admin;
  ApiDependencies dependencies = DependenciesOf(tenants_);
  dependencies.admin = &admin;
  Restart(std::move(dependencies));
  const Response refused = SendAs("team|other", "POST", kDelete);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body, BadData("series can be deleted from only one tenant at a time"));
  EXPECT_EQ(admin.deleted, "");
  EXPECT_EQ(SendAs("team", "POST", kDelete).status, 204);
  EXPECT_THAT(admin.deleted, HasSubstr("team;"));
  EXPECT_THAT(admin.deleted, HasSubstr("m;"));
  api_.reset();
}

TEST_F(ApiTenantsTest, OnlyTheDefaultTenantHasTargets) {
  scrape::Scraper scraper;
  auto configs = scrape::ParseScrapeConfigs("scrape_configs:\n- job_name: nodes\n", "/a.yml");
  ASSERT_TRUE(configs.ok()) << configs.status();
  scraper.Configure(*std::move(configs));
  scraper.Start(storage_, [](const DecodedWrite&, Ingester::Done done) { done(WriteSummary()); });
  while (scraper.pools().empty()) std::this_thread::yield();
  ApiDependencies dependencies = DependenciesOf(tenants_);
  dependencies.scraper = &scraper;
  Restart(std::move(dependencies));
  const auto pools = [this](const std::string& tenants) {
    return SendAs(tenants, "GET", "/api/v1/scrape_pools").body;
  };
  EXPECT_EQ(pools(""), Success(R"({"scrapePools":["nodes"]})"));
  EXPECT_EQ(pools("default|team"), Success(R"({"scrapePools":["nodes"]})"));
  EXPECT_EQ(pools("team"), Success(R"({"scrapePools":[]})"));
  EXPECT_EQ(
      SendAs("", "GET", "/api/v1/targets").body,
      Success(R"({"activeTargets":[],"droppedTargets":[],"droppedTargetCounts":{"nodes":0}})"));
  EXPECT_EQ(SendAs("", "GET", "/api/v1/targets/metadata").body, Success("[]"));
  EXPECT_EQ(SendAs("", "GET", "/api/v1/targets/relabel_steps?scrapePool=nodes&labels={}").body,
            Success(R"({"steps":[]})"));
  EXPECT_EQ(api_->stats().scrape.jobs, 1u);
  api_.reset();
  scraper.Stop();
}

}  // namespace
}  // namespace lockstep::api

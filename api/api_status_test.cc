// Tests the pages about the server and its store through the whole API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/api_testing.h"

namespace lockstep::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class StatusPagesTest : public ApiFixture {};

TEST_F(StatusPagesTest, FeaturesFollowTheServersSettings) {
  EXPECT_THAT(Body("/api/v1/features"),
              AllOf(HasSubstr(R"("admin":false)"), HasSubstr(R"("lifecycle":false)"),
                    HasSubstr(R"("remote_write_receiver":true)")));
  ApiDependencies dependencies = DependenciesOf(tenants_);
  dependencies.options.is_read_only = true;
  dependencies.reload = [] { return absl::OkStatus(); };
  Restart(std::move(dependencies));
  EXPECT_THAT(Body("/api/v1/features"), AllOf(HasSubstr(R"("lifecycle":true)"),
                                              HasSubstr(R"("remote_write_receiver":false)")));
}

TEST_F(StatusPagesTest, AReloadIsOnRequest) {
  const Response off = Send("POST", "/-/reload");
  EXPECT_EQ(off.status, 403);
  EXPECT_EQ(off.body, "Lifecycle API is not enabled.\n");
  absl::Status status;
  ApiDependencies dependencies = DependenciesOf(tenants_);
  dependencies.reload = [&status] { return status; };
  Restart(std::move(dependencies));
  EXPECT_EQ(Send("PUT", "/-/reload").status, 200);
  status = absl::InvalidArgumentError("line 7: no");
  const Response failed = Send("POST", "/-/reload");
  EXPECT_EQ(failed.status, 500);
  EXPECT_EQ(failed.body, "failed to reload config: line 7: no\n");
}

TEST_F(StatusPagesTest, TheApiDescribesItself) {
  const Response document = Get("/api/v1/openapi.yaml");
  EXPECT_EQ(document.content_type, "application/yaml; charset=utf-8");
  EXPECT_THAT(document.body, StartsWith("openapi: 3.1"));
  ASSERT_EQ(document.headers.size(), 1u);
  EXPECT_EQ(document.headers[0].name, "Cache-Control");
  EXPECT_EQ(document.headers[0].value, "no-cache, no-store, must-revalidate");
}

TEST_F(StatusPagesTest, ThereAreNoBlocks) {
  EXPECT_EQ(Body("/api/v1/status/tsdb/blocks"), Success(R"({"blocks":[]})"));
}

TEST_F(StatusPagesTest, TheMemoryIsThatOfTheProcess) {
  EXPECT_THAT(Body("/api/v1/status/memory"),
              AllOf(StartsWith(R"({"status":"success","data":{"limitBytes":)"),
                    HasSubstr(R"({"account":"queries",)")));
}

TEST_F(StatusPagesTest, ProfilesAreListed) {
  EXPECT_THAT(Body("/debug/pprof/"), HasSubstr("profile?seconds=30"));
  const Response heap = Get("/debug/pprof/heap");
  ASSERT_EQ(heap.headers.size(), 1u);
  EXPECT_EQ(heap.headers[0].name, "Content-Disposition");
  EXPECT_EQ(heap.headers[0].value, "attachment; filename=\"heap\"");
  EXPECT_EQ(Get("/debug/pprof/profile?seconds=0").status, 400);
  EXPECT_THAT(Body("/debug/pprof/cmdline"), HasSubstr("api_test"));
}

// Derived metrics have metadata wherever a job has samples for them.
TEST_F(StatusPagesTest, DerivedMetricsAreDescribed) {
  for (const char* rank : {"0", "1"}) {
    for (int64_t step = 0; step < 5; ++step) {
      const int64_t time_ms = kNowMs - 10'000 + 1000 * step;
      for (const char* name : {"train_step", "train_step_time_seconds"}) {
        storage_.Append(LabelSet::Of({{kMetricName, name}, {"job", "a"}, {"rank", rank}}), time_ms,
                        1);
      }
    }
  }
  const std::string all = Body("/api/v1/metadata");
  EXPECT_THAT(all, HasSubstr(R"("lockstep_step_time_seconds":[{"type":"gauge","help":")"));
  EXPECT_THAT(all, HasSubstr(R"("lockstep_goodput_ratio":[)"));
  const std::string one = Body("/api/v1/metadata?metric=lockstep_step_time_seconds");
  EXPECT_THAT(one, AllOf(StartsWith(R"({"status":"success","data":{"lockstep_step_time_seconds":)"),
                         HasSubstr(R"(,"unit":"seconds"}]}})")));
  EXPECT_EQ(Body("/api/v1/metadata?metric=train_step"), Success("{}"));
  EXPECT_EQ(Body("/api/v1/metadata?limit=0"), Success("{}"));
  const std::string first = Body("/api/v1/metadata?limit=1");
  EXPECT_THAT(first, Not(HasSubstr("}],")));
  EXPECT_THAT(first, HasSubstr(R"({"lockstep_)"));
  EXPECT_EQ(Body("/api/v1/metadata?limit=-1"), all);
  EXPECT_EQ(Body("/api/v1/metadata?limit_per_metric=0"), all);
  EXPECT_EQ(Body("/api/v1/metadata?limit_per_metric=x"),
            BadData("limit_per_metric must be a number"));
}

}  // namespace
}  // namespace lockstep::api

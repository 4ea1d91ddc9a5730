#include "api/training/identity_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "api/training/role_handlers.h"
#include "base/budget/query_budget.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

constexpr int64_t kAskedAtMs = 2'000'000;

class IdentityHandlersTest : public testing::Test {
 protected:
  Response Register(std::string body, std::vector<Header> headers = {}) {
    Request request;
    request.method = "POST";
    request.target = "/api/v1/training/register";
    request.headers = std::move(headers);
    request.body = std::move(body);
    std::optional<Response> response;
    HandleRegister(request, ingester_, kAskedAtMs, [&](Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }

  Response Identity(const std::string& parameters) {
    Request request;
    request.method = "GET";
    request.target = "/api/v1/training/identity?" + parameters;
    QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
    return HandleIdentity({Form::Of(request)}, storage_, kAskedAtMs, budget);
  }

  MemoryStorage storage_;
  Ingester ingester_{storage_, IngestLimits{}};
};

TEST_F(IdentityHandlersTest, WhatIsRegisteredIsAnswered) {
  EXPECT_EQ(Register(R"([{"job":"j","rank":0,"host":"n","gpu":1,"uuid":"GPU-a","stage":2,)"
                     R"("from":1000,"to":1500},
                         {"job":"j","world_size":1,"model":{"layers":16}}])")
                .body,
            R"({"status":"success","data":{"samples":3}})");
  constexpr const char* kPlacement =
      R"("attempt":0,"rank":0,"host":"n","gpu":"1","uuid":"GPU-a","gpu_model":"","stage":2,)"
      R"("tp":null,"dp":null,"ep":null,"pp":null,"cp":null,"from":1000,"to":1500,)"
      R"("source":"registered","device_selectors":[]})";
  EXPECT_EQ(
      Identity("job=j").body,
      std::string(R"({"status":"success","data":{"job":"j","world_size":1,)"
                  R"("info":{"attempt":"0","model_layers":"16","world_size":"1"},"ranks":[{)") +
          kPlacement + R"(],"warnings":[]}})");
  EXPECT_EQ(Identity("gpu=GPU-a").body,
            std::string(R"({"status":"success","data":{"gpu":"GPU-a","jobs":[{"job":"j",)") +
                kPlacement + "]}}");
  // It can be queried like any series.
  const auto querier = storage_.NewQuerier();
  EXPECT_THAT(*(*querier)->LabelValues("__name__", {.matchers = {}, .range = kAllTimes}),
              testing::ElementsAre("lockstep_job_info", "lockstep_rank_info"));
}

TEST_F(IdentityHandlersTest, NothingOfABadRequestIsStored) {
  const Response response = Register(R"([{"job":"j","rank":0},{"rank":1}])");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(R"(registration 2: \"job\" is missing)"));
  EXPECT_EQ(Register("{").status, 400);
  EXPECT_EQ(Register("{}", {{"Content-Encoding", "br"}}).status, 415);
  EXPECT_EQ(Identity("job=j").status, 404);
}

TEST_F(IdentityHandlersTest, ParametersAreChecked) {
  EXPECT_EQ(Identity("").status, 400);
  EXPECT_EQ(Identity("job=j&gpu=g").status, 400);
  EXPECT_EQ(Identity("job=j&start=x").status, 400);
  EXPECT_EQ(Identity("gpu=GPU-x").body, R"({"status":"success","data":{"gpu":"GPU-x","jobs":[]}})");
}

TEST(RoleHandlers, NamesOfRoles) {
  Request request;
  request.target = "/api/v1/training/roles?metric=DCGM_FI_DEV_FB_FREE";
  const std::string body = HandleRoles({Form::Of(request)}).body;
  EXPECT_THAT(body,
              HasSubstr(R"({"roles":[{"role":"gpu_memory_free_bytes","unit":"B","scope":"gpu",)"
                        R"("kind":"gauge")"));
  EXPECT_THAT(body,
              HasSubstr(R"({"metric":"DCGM_FI_DEV_FB_FREE","factor":1048576,"stored":"gauge",)"
                        R"("part":"","label":"","label_value":""})"));
  request.target = "/api/v1/training/roles?metric=nobody_knows";
  EXPECT_EQ(HandleRoles({Form::Of(request)}).body, R"({"status":"success","data":{"roles":[]}})");
}

}  // namespace
}  // namespace lockstep::api

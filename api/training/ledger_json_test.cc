#include "api/training/ledger_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::api {
namespace {

using testing::HasSubstr;

std::string Written(const answers::JobLedger& found) {
  std::string out;
  JsonWriter json(out);
  WriteLedger(json, found);
  return out;
}

answers::JobLedger OneGpu() {
  answers::JobLedger found{.job = "j", .time = {0, 2000}, .attempt_count = 1};
  found.ledger.gpu_count = 1;
  found.ledger.wall_seconds = 2;
  return found;
}

TEST(LedgerJsonTest, WhatIsNotKnownIsNull) {
  const std::string out = Written(OneGpu());
  EXPECT_THAT(out, HasSubstr(R"("cost":null,"energy":{"joules":null,"joules_per_step":null,)"
                             R"("joules_per_token":null,"kwh":null,"cost":null,)"
                             R"("is_from_power":false},"currency":null,)"));
  EXPECT_THAT(out, HasSubstr(R"("gpus":1,)"));
  EXPECT_THAT(out, testing::Not(HasSubstr("nan")));
}

TEST(LedgerJsonTest, ABillIsOfThePriceOfAnHour) {
  answers::JobLedger found = OneGpu();
  found.price_per_gpu_hour = 36;
  found.bill = training::BillOf(found.ledger, 36);
  found.energy.joules = 2 * 3.6e6;
  found.energy.cost = 1;
  found.currency = "EUR";
  const std::string out = Written(found);
  EXPECT_THAT(out, HasSubstr(R"("price_per_gpu_hour":36)"));
  EXPECT_THAT(out, HasSubstr(R"("kwh":2,"cost":1,)"));
  EXPECT_THAT(out, HasSubstr(R"("currency":"EUR")"));
}

}  // namespace
}  // namespace lockstep::api

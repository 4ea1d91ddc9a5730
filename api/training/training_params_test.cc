#include "api/training/training_params.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace lockstep::api {
namespace {

// `setting` is the server's setting, `parameter` the request's parameter ("": none).
absl::StatusOr<answers::Prices> PricesWith(const std::string& setting,
                                           const std::string& parameter) {
  answers::Prices server;
  server.per_gpu_hour = *answers::ParseGpuPrices(setting);
  Request request;
  request.method = "GET";
  request.target = parameter.empty() ? "/" : "/?price=" + parameter;
  return PricesOf(Form::Of(request), server);
}

// Checks the price of an H200 hour, "-" if unknown.
void Check(const std::string& setting, const std::string& parameter, const std::string& expected) {
  const auto prices = PricesWith(setting, parameter);
  ASSERT_TRUE(prices.ok());
  answers::LoadedJob job;
  job.gpu_models = {"NVIDIA H200"};
  const std::optional<double> price = answers::PricePerGpuHour(job, *prices);
  EXPECT_EQ(price.has_value() ? std::to_string(*price).substr(0, 3) : "-", expected);
}

TEST(TrainingParams, ARequestKnowsPricesBetter) {
  Check("2.5", "", "2.5");
  Check("h200-sxm5-141gb:3.2", "4.0", "4.0");
  Check("h200-sxm5-141gb:3.2", "h100-sxm5-80gb:2.1", "-");
}

TEST(TrainingParams, APriceThatIsNoneIsNamed) {
  EXPECT_EQ(PricesWith("", "cheap").status().message(),
            "invalid parameter \"price\": \"cheap\" is not a price, or a model and a price such as "
            "h200-sxm5-141gb:3.2");
}

}  // namespace
}  // namespace lockstep::api

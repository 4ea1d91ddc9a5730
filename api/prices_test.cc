#include "api/prices.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::api {
namespace {

constexpr const char* kH200 = "NVIDIA H200";
constexpr const char* kH100 = "NVIDIA H100 80GB HBM3";

// `told` to the server, `asked` by a request ("": nothing), and what a GPU-hour of the job costs; "-" for not known.
void Check(const std::string& told, const std::string& asked, std::vector<std::string> gpus,
           const std::string& expected) {
  Prices server;
  server.per_gpu_hour = *ParseGpuPrices(told);
  Request request;
  request.method = "GET";
  request.target = asked.empty() ? "/" : "/?price=" + asked;
  const auto prices = PricesOf(Form::Of(request), server);
  ASSERT_TRUE(prices.ok());
  answers::LoadedJob job;
  job.gpu_models = std::move(gpus);
  const std::optional<double> price = PricePerGpuHour(job, *prices);
  EXPECT_EQ(price.has_value() ? std::to_string(*price).substr(0, 3) : "-", expected);
}

TEST(Prices, ByModelAndForAny) {
  const std::string both = "h200-sxm5-141gb:3.2,h100-sxm5-80gb:2.1";
  Check("", "", {kH200}, "-");
  Check("2.5", "", {kH200, kH100}, "2.5");
  Check(both, "", {kH200, kH200}, "3.2");
  Check(both, "", {kH100}, "2.1");
  Check(both, "", {kH200, kH100}, "-");  // no one price
  Check(both, "", {"NVIDIA A100-SXM4-80GB"}, "-");
  Check(both + ",1.5", "", {"NVIDIA A100-SXM4-80GB"}, "1.5");
  Check("1.5," + both, "", {kH200}, "3.2");
}

TEST(Prices, ARequestKnowsBetter) {
  Check("h200-sxm5-141gb:3.2", "4.0", {kH200}, "4.0");
  Check("h200-sxm5-141gb:3.2", "h100-sxm5-80gb:2.1", {kH200}, "-");
}

TEST(Prices, MistakesAreNamed) {
  for (const char* text : {"cheap", "h200:", "-1", "1e999", "1,,2"}) {
    EXPECT_EQ(ParseGpuPrices(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace lockstep::api

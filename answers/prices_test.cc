#include "answers/prices.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::answers {
namespace {

constexpr const char* kH200 = "NVIDIA H200";
constexpr const char* kH100 = "NVIDIA H100 80GB HBM3";

// Checks the job's price per GPU-hour, "-" if unknown.
void Check(const std::string& text, std::vector<std::string> gpus, const std::string& expected) {
  Prices prices;
  prices.per_gpu_hour = *ParseGpuPrices(text);
  LoadedJob job;
  job.gpu_models = std::move(gpus);
  const std::optional<double> price = PricePerGpuHour(job, prices);
  EXPECT_EQ(price.has_value() ? std::to_string(*price).substr(0, 3) : "-", expected);
}

TEST(Prices, ByModelAndForAny) {
  const std::string both = "h200-sxm5-141gb:3.2,h100-sxm5-80gb:2.1";
  Check("", {kH200}, "-");
  Check("2.5", {kH200, kH100}, "2.5");
  Check(both, {kH200, kH200}, "3.2");
  Check(both, {kH100}, "2.1");
  Check(both, {kH200, kH100}, "-");  // no common price
  Check(both, {"NVIDIA A100-SXM4-80GB"}, "-");
  Check(both + ",1.5", {"NVIDIA A100-SXM4-80GB"}, "1.5");
  Check("1.5," + both, {kH200}, "3.2");
}

TEST(Prices, MistakesAreNamed) {
  for (const char* text : {"cheap", "h200:", "-1", "1e999", "1,,2"}) {
    EXPECT_EQ(ParseGpuPrices(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace lockstep::answers

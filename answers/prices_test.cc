#include "answers/prices.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

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

TEST(Prices, AModelsOwnPriceWinsWhereverItStands) {
  Check("l4:0.5,1.5,h200-sxm5-141gb:3.2", {kH200}, "3.2");
  Check("h200-sxm5-141gb:3.2,1.5", {kH200}, "3.2");
  Check("l4:0.5,1.5,h100-sxm5-80gb:2.1", {kH200}, "1.5");
  Check("2.5", {}, "-");  // no GPU is known
  Check("0", {kH200}, "0.0");
  Check("2.5", {"unheard of", kH200}, "2.5");
}

TEST(Prices, AMistakeIsQuoted) {
  EXPECT_EQ(Message(ParseGpuPrices("1.5,h200:x").status()),
            "\"h200:x\" is not a price, or a model and a price such as h200-sxm5-141gb:3.2");
  EXPECT_EQ(*ParseGpuPrices("a:b:1.5"), (GpuPrices{{"a:b", 1.5}}));
  EXPECT_EQ(*ParseGpuPrices(""), GpuPrices());
  for (const char* text : {"inf", "nan", "1.5x", "a:", ":", "-0.1"}) {
    EXPECT_FALSE(ParseGpuPrices(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lockstep::answers

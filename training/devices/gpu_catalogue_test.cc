#include "training/devices/gpu_catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace lockstep::training {
namespace {

std::string CatalogueId(std::string_view name) {
  const GpuMatch match = FindGpu(name);
  return (match.model == nullptr ? std::string("-") : std::string(match.model->id)) +
         (match.is_partition ? " slice" : "");
}

TEST(GpuCatalogue, NamesMatchAsAWhole) {
  const std::pair<const char*, const char*> cases[] = {
      {"NVIDIA H200", "h200-sxm5-141gb"},
      {"NVIDIA H20", "h20-96gb"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"},
      {"NVIDIA-H100-80GB-HBM3", "h100-sxm5-80gb"},
      {"nvidia h100  80gb_hbm3", "h100-sxm5-80gb"},
      {"NVIDIA-H100-80GB-HBM3-SHARED", "h100-sxm5-80gb"},
      {"NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "a100-sxm4-80gb slice"},
      {"NVIDIA H100 PCIe", "h100-pcie-80gb"},
      {"NVIDIA L4", "l4"},
      {"NVIDIA L40S", "l40s"},
      {"NVIDIA B200", "b200-sxm6"},
      {"NVIDIA GB200", "gb200"},
      {"AMD_Instinct_MI300X_OAM", "mi300x"},
      {"NVIDIA H300", "-"},
      {"", "-"},
  };
  for (const auto& [name, id] : cases) EXPECT_EQ(CatalogueId(name), id) << name;
}

TEST(GpuCatalogue, PeaksAreDense) {
  const GpuModel& h100 = *FindGpu("NVIDIA H100 80GB HBM3").model;
  EXPECT_NEAR(*h100.PeakFlops(Precision::kBf16), 989.4e12, 1e9);
  EXPECT_NEAR(*h100.PeakFlops(Precision::kFp8), 1978.9e12, 1e9);
  const GpuModel& a100 = *FindGpu("NVIDIA A100-SXM4-80GB").model;
  EXPECT_EQ(a100.PeakFlops(Precision::kFp8), std::nullopt);
  EXPECT_EQ(FindGpu("NVIDIA A10G").model->PeakFlops(Precision::kBf16), std::nullopt);
}

TEST(GpuCatalogue, EntriesArePlausible) {
  EXPECT_EQ(AllGpuModels().size(), 50u);
  for (const GpuModel& model : AllGpuModels()) {
    const double bf16 = model.dense_tflops[static_cast<size_t>(Precision::kBf16)];
    EXPECT_GE(bf16, model.achieved_tflops[0]) << model.id;
    EXPECT_EQ(FindGpu(model.names.substr(0, model.names.find('|'))).model, &model) << model.id;
  }
  for (const char* name : {"fp64", "tf32", "bf16", "fp8", "fp4"}) {
    EXPECT_EQ(Name(*PrecisionOf(name)), name);
  }
}

double DenseTflops(const GpuModel& model, Precision precision) {
  return model.dense_tflops[static_cast<size_t>(precision)];
}

// Whether one of the two is not supported, or `half` is half of `whole` as far as sheets round it.
bool IsHalf(double half, double whole, double tolerance) {
  return half == 0 || whole == 0 || std::abs(2 * half / whole - 1) < tolerance;
}

// Units double their rate when they halve the width of their operands. Data sheets state each rate
// by itself, so a slip in one of them shows against the others.
TEST(GpuCatalogue, HalfTheWidthIsTwiceTheRate) {
  // Ada's tf32 and fp8 are rounded far; Trainium's tf32 runs at the rate of bf16.
  const std::set<std::string_view> rounded = {"l4", "l40s", "trainium2", "gaudi3", "mi355x"};
  // Blackwell Ultra's fp4 is three times its fp8.
  const std::set<std::string_view> faster_fp4 = {"b300-sxm6", "gb300"};
  for (const GpuModel& model : AllGpuModels()) {
    const auto of = [&model](Precision precision) { return DenseTflops(model, precision); };
    const double half = std::max(of(Precision::kBf16), of(Precision::kFp16));
    if (of(Precision::kFp16) > 0 && of(Precision::kBf16) > 0) {
      EXPECT_EQ(of(Precision::kFp16), of(Precision::kBf16)) << model.id;
    }
    if (of(Precision::kInt8) > 0 && of(Precision::kFp8) > 0 && model.id != "rtx-4090") {
      EXPECT_EQ(of(Precision::kInt8), of(Precision::kFp8)) << model.id;
    }
    const double tolerance = rounded.contains(model.id) ? 0.02 : 0.002;
    if (model.id != "trainium2") {
      EXPECT_TRUE(IsHalf(of(Precision::kTf32), half, tolerance)) << model.id;
    }
    if (model.id != "gaudi3" && model.id != "trainium2") {
      EXPECT_TRUE(IsHalf(half, of(Precision::kFp8), tolerance)) << model.id;
    }
    if (of(Precision::kFp8) == 0 && model.id != "mi250x" && model.id != "tpu-v4") {
      EXPECT_TRUE(IsHalf(half, of(Precision::kInt8), 0.003)) << model.id;
    }
    const double factor = faster_fp4.contains(model.id) ? 1.5 : 1;
    EXPECT_TRUE(IsHalf(of(Precision::kFp8) * factor, of(Precision::kFp4), tolerance)) << model.id;
    EXPECT_GE(half, of(Precision::kTf32)) << model.id;
  }
}

// Versions for export and Blackwell have little fp64; others have tensor units for it.
TEST(GpuCatalogue, DoublePrecisionFitsSinglePrecision) {
  const std::set<std::string_view> few = {"h800-sxm5-80gb", "h800-pcie-80gb", "h20-96gb",
                                          "h20-141gb"};
  for (const GpuModel& model : AllGpuModels()) {
    const double fp64 = DenseTflops(model, Precision::kFp64);
    const double tensor = DenseTflops(model, Precision::kFp64Tensor);
    if (few.contains(model.id)) {
      EXPECT_EQ(fp64, 1) << model.id;
      EXPECT_EQ(tensor, 1) << model.id;
      continue;
    }
    const double fp32 = DenseTflops(model, Precision::kFp32);
    if (model.id == "b200-sxm6" || model.id == "gb200") {
      EXPECT_EQ(tensor, fp64) << model.id;
    } else {
      EXPECT_TRUE(IsHalf(fp64, tensor, 0.01)) << model.id;
      EXPECT_TRUE(fp64 == fp32 || IsHalf(fp64, fp32, 0.01)) << model.id;
    }
  }
}

// What a device does not support is 0, not little.
TEST(GpuCatalogue, NumbersAreThoseOfDataSheets) {
  for (const GpuModel& model : AllGpuModels()) {
    for (const double tflops : model.dense_tflops) {
      EXPECT_TRUE(tflops == 0 || tflops == 1 || tflops >= 7) << model.id;
    }
    // Bytes per second in whole tenths of gigabytes, watts in tens.
    EXPECT_EQ(std::fmod(model.memory_bytes_per_s, 1e8), 0) << model.id;
    EXPECT_EQ(std::fmod(model.link_bytes_per_s, 1e8), 0) << model.id;
    EXPECT_EQ(std::fmod(model.board_w, model.id == "l4" ? 72 : 10), 0) << model.id;
    // What was measured is no more than the peak, and not far below it.
    for (const auto& [achieved, peak] :
         {std::pair(model.achieved_tflops[0], DenseTflops(model, Precision::kBf16)),
          std::pair(model.achieved_tflops[1], DenseTflops(model, Precision::kFp8))}) {
      if (achieved == 0) continue;
      EXPECT_LT(achieved, peak) << model.id;
      EXPECT_GT(achieved, 0.5 * peak) << model.id;
    }
  }
}

TEST(GpuCatalogue, AnyNameOfADeviceFindsIt) {
  for (const GpuModel& model : AllGpuModels()) {
    std::string_view names = model.names;
    while (!names.empty()) {
      const size_t end = std::min(names.find('|'), names.size());
      EXPECT_EQ(FindGpu(names.substr(0, end)).model, &model) << model.id;
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
}

TEST(GpuCatalogue, SpellingsOfANameAreOne) {
  EXPECT_EQ(CatalogueId("\tNVIDIA\tL4 "), "l4");
  EXPECT_EQ(CatalogueId("L4"), "l4");
  EXPECT_EQ(CatalogueId("instinct mi250x"), "mi250x");
  EXPECT_EQ(CatalogueId("AmD iNsTiNcT mI250X"), "mi250x");
  EXPECT_EQ(CatalogueId("NVIDIA L4-SHARED"), "l4");
  EXPECT_EQ(CatalogueId("NVIDIA L4 x"), "-");
  EXPECT_EQ(CatalogueId("SHARED"), "-");
  EXPECT_EQ(CatalogueId("NVIDIA L4 MIG 1g.10gb"), "l4 slice");
  EXPECT_EQ(CatalogueId("NVIDIA L9 MIG 1g.10gb"), "- slice");
}

TEST(GpuCatalogue, PrecisionsAreReadAsTheyAreWritten) {
  for (size_t i = 0; i < kPrecisionCount; ++i) {
    const auto precision = static_cast<Precision>(i);
    EXPECT_EQ(PrecisionOf(Name(precision)), precision);
  }
  EXPECT_EQ(PrecisionOf("fp128"), std::nullopt);
  EXPECT_EQ(PrecisionOf(""), std::nullopt);
}

}  // namespace
}  // namespace lockstep::training

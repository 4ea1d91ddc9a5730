#include "training/devices/gpu_catalogue.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace lockstep::training

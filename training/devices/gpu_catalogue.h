// Peak performance of accelerators.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace lockstep::training {

enum class Precision { kFp64, kFp64Tensor, kFp32, kTf32, kFp16, kBf16, kFp8, kInt8, kFp4 };
inline constexpr size_t kPrecisionCount = static_cast<size_t>(Precision::kFp4) + 1;

std::string_view Name(Precision precision);
std::optional<Precision> PrecisionOf(std::string_view name);

struct GpuModel {
  std::string_view id;
  std::string_view names;  // as drivers report them, separated by '|'
  double dense_tflops[kPrecisionCount];
  double memory_bytes_per_s;
  double link_bytes_per_s;  // sum of all links and both directions
  double board_w;
  double achieved_tflops[2];  // best measured matrix product: bf16, fp8

  // Empty if the vendor states none or the device does not support the precision.
  std::optional<double> PeakFlops(Precision precision) const {
    const double tflops = dense_tflops[static_cast<size_t>(precision)];
    if (tflops <= 0) return std::nullopt;
    return tflops * 1e12;
  }
};

struct GpuMatch {
  const GpuModel* model = nullptr;  // static; nullptr if it is not in the catalogue
  bool is_partition = false;        // a slice of the device, with a share of the model's peaks
};

// Matches the whole name, never a part of it: an H200 is not an H20. Ignores case, a leading
// vendor, runs of spaces, '-' and '_', and suffixes of device plugins ("-SHARED", "-MIG-1g.10gb").
GpuMatch FindGpu(std::string_view model_name);

std::span<const GpuModel> AllGpuModels();

}  // namespace lockstep::training

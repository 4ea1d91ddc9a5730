// What accelerators can do at most.
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
  std::string_view architecture;
  std::string_view names;  // as drivers say them, '|' between them
  double dense_tflops[kPrecisionCount];
  double memory_bytes_per_s;
  double link_bytes_per_s;  // of all links, both directions together
  double board_w;
  double achieved_tflops[2];  // by the best measured matrix product: bf16, fp8

  // Unknown where the maker states none, or the device cannot compute so.
  std::optional<double> PeakFlops(Precision precision) const {
    const double tflops = dense_tflops[static_cast<size_t>(precision)];
    if (tflops <= 0) return std::nullopt;
    return tflops * 1e12;
  }
};

struct GpuMatch {
  const GpuModel* model = nullptr;  // lives as long as the program; nullptr: not in the catalogue
  bool is_partition = false;        // a slice of the device, whose peaks are a share of the model's
};

// By the whole name, never by a part of it: an H200 is no H20. Case, runs of blanks, '-' and '_', a leading
// vendor, and what device plugins append ("-SHARED", "-MIG-1g.10gb") do not count.
GpuMatch FindGpu(std::string_view model_name);

std::span<const GpuModel> AllGpuModels();

}  // namespace lockstep::training

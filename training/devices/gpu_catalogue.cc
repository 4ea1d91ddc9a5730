#include "training/devices/gpu_catalogue.h"

#include <array>
#include <string>

namespace lockstep::training {
namespace {

constexpr std::array<std::string_view, kPrecisionCount> kPrecisionNames = {
    "fp64", "fp64_tensor", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"};

bool IsGap(char c) { return c == ' ' || c == '-' || c == '_' || c == '\t'; }

// Returns `name` in lower case, with single spaces as separators and without a leading vendor.
std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (IsGap(c)) {
      if (!folded.empty() && folded.back() != ' ') folded.push_back(' ');
    } else {
      folded.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
  }
  while (!folded.empty() && folded.back() == ' ') folded.pop_back();
  for (const std::string_view vendor : {"nvidia ", "amd "}) {
    if (folded.starts_with(vendor)) folded.erase(0, vendor.size());
  }
  return folded;
}

bool HasName(const GpuModel& model, std::string_view folded) {
  std::string_view names = model.names;
  while (!names.empty()) {
    const size_t end = names.find('|');
    if (Folded(names.substr(0, end)) == folded) return true;
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  }
  return false;
}

}  // namespace

std::string_view Name(Precision precision) {
  return kPrecisionNames[static_cast<size_t>(precision)];
}

std::optional<Precision> PrecisionOf(std::string_view name) {
  for (size_t i = 0; i < kPrecisionNames.size(); ++i) {
    if (kPrecisionNames[i] == name) return static_cast<Precision>(i);
  }
  return std::nullopt;
}

GpuMatch FindGpu(std::string_view model_name) {
  std::string folded = Folded(model_name);
  GpuMatch match;
  if (const size_t slice = folded.find(" mig "); slice != std::string::npos) {
    match.is_partition = true;
    folded.resize(slice);
  }
  constexpr std::string_view kShared = " shared";
  if (folded.ends_with(kShared)) folded.resize(folded.size() - kShared.size());
  for (const GpuModel& model : AllGpuModels()) {
    if (HasName(model, folded)) match.model = &model;
  }
  return match;
}

}  // namespace lockstep::training

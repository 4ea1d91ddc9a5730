// Classifies GPU kernels by name. Pure functions over a table of rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep::traces {

enum class KernelClass : uint8_t {
  kGemm,
  kAttention,
  kCommunication,  // NCCL and RCCL
  kConvolution,
  kNormalization,
  kSoftmax,
  kOptimizer,
  kReduction,
  kIndexing,  // gather, scatter, sort, embedding
  kElementwise,
  kMemcpy,
  kMemset,
  kOther,
};
inline constexpr size_t kKernelClassCount = static_cast<size_t>(KernelClass::kOther) + 1;

// "gemm", "attention", ...: a label value.
std::string_view NameOf(KernelClass kernel_class);

// Takes a demangled kernel name, with or without namespaces, template arguments and parameters.
KernelClass ClassOfKernel(std::string_view name);

// The name without return type, template arguments and parameters;
// "at::native::elementwise_kernel". Points into `name`.
std::string_view FunctionOf(std::string_view name);

// The collective of an NCCL kernel: "all_reduce", "all_gather", "reduce_scatter", "broadcast",
// "reduce", "all_to_all", "send_recv", or "other". `written` is the profiler's note for the kernel
// ("allreduce", "_allgather_base"); if it is "", the kernel's name decides.
std::string_view CollectiveOf(std::string_view written, std::string_view kernel_name);

}  // namespace lockstep::traces

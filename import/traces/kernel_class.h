// What kind of work a GPU kernel does, by its name. Pure functions over a table of rules.
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

// "gemm", "attention", ...: a label's value.
std::string_view NameOf(KernelClass kernel_class);

// Of a kernel's name, mangled by nobody: with its namespaces, template arguments and parameters, or without.
KernelClass ClassOfKernel(std::string_view name);

// The name without return type, template arguments and parameters; "at::native::elementwise_kernel". Points into
// `name`.
std::string_view FunctionOf(std::string_view name);

// Which collective an NCCL kernel runs: "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
// "all_to_all", "send_recv", or "other". `written` is what the profiler notes beside the kernel ("allreduce",
// "_allgather_base"), "" where it notes nothing: then the kernel's name decides.
std::string_view CollectiveOf(std::string_view written, std::string_view kernel_name);

}  // namespace lockstep::traces

#include "import/traces/kinds/kernel_class.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace lockstep::traces {
namespace {

enum class Part : uint8_t {
  kFunction,  // outside template arguments and parameters
  kWhole,
};

struct Rule {
  Part part;
  std::string_view words;  // in lower case
  KernelClass kernel_class;
};

// The first match wins. A function's own name says more than its template arguments, which name
// functors of many kinds; for generic functions (multi_tensor_apply, cutlass::Kernel, elementwise),
// the arguments decide.
constexpr Rule kRules[] = {
    {Part::kFunction, "nccl", KernelClass::kCommunication},
    {Part::kFunction, "rccl", KernelClass::kCommunication},
    {Part::kFunction, "nvshmem", KernelClass::kCommunication},
    {Part::kFunction, "flash", KernelClass::kAttention},
    {Part::kFunction, "fmha", KernelClass::kAttention},
    {Part::kFunction, "sdpa", KernelClass::kAttention},
    {Part::kFunction, "attention", KernelClass::kAttention},
    {Part::kFunction, "attn", KernelClass::kAttention},
    // cuDNN's attention uses these two next to the main kernel in the backward pass.
    {Part::kFunction, "compute_dot_do_o", KernelClass::kAttention},
    {Part::kFunction, "convert_dq_to_16bits", KernelClass::kAttention},
    {Part::kWhole, "fmha", KernelClass::kAttention},
    {Part::kWhole, "flash_fwd", KernelClass::kAttention},
    {Part::kWhole, "flash_bwd", KernelClass::kAttention},
    {Part::kWhole, "flashattn", KernelClass::kAttention},
    {Part::kWhole, "attentionkernel", KernelClass::kAttention},
    {Part::kFunction, "conv2d", KernelClass::kConvolution},
    {Part::kFunction, "conv_depthwise", KernelClass::kConvolution},
    {Part::kFunction, "implicit_convolve", KernelClass::kConvolution},
    {Part::kFunction, "fprop", KernelClass::kConvolution},
    {Part::kFunction, "dgrad", KernelClass::kConvolution},
    {Part::kFunction, "wgrad_implicit", KernelClass::kConvolution},
    {Part::kFunction, "winograd", KernelClass::kConvolution},
    {Part::kFunction, "gemm", KernelClass::kGemm},
    {Part::kFunction, "gemv", KernelClass::kGemm},
    {Part::kFunction, "nvjet", KernelClass::kGemm},
    {Part::kFunction, "cublas", KernelClass::kGemm},
    {Part::kFunction, "splitkreduce", KernelClass::kGemm},
    {Part::kFunction, "cijk_", KernelClass::kGemm},
    {Part::kFunction, "triton_mm", KernelClass::kGemm},
    {Part::kFunction, "triton_tem", KernelClass::kGemm},
    {Part::kFunction, "matmul", KernelClass::kGemm},
    {Part::kFunction, "cutlass", KernelClass::kGemm},
    {Part::kFunction, "layer_norm", KernelClass::kNormalization},
    {Part::kFunction, "layernorm", KernelClass::kNormalization},
    {Part::kFunction, "rms_norm", KernelClass::kNormalization},
    {Part::kFunction, "rmsnorm", KernelClass::kNormalization},
    {Part::kFunction, "batch_norm", KernelClass::kNormalization},
    {Part::kFunction, "bn_fw", KernelClass::kNormalization},
    {Part::kFunction, "bn_bw", KernelClass::kNormalization},
    {Part::kFunction, "gammabeta", KernelClass::kNormalization},
    {Part::kFunction, "ln_fwd", KernelClass::kNormalization},
    {Part::kFunction, "ln_bwd", KernelClass::kNormalization},
    {Part::kFunction, "softmax", KernelClass::kSoftmax},
    {Part::kFunction, "cross_entropy", KernelClass::kSoftmax},
    {Part::kFunction, "nll_loss", KernelClass::kSoftmax},
    {Part::kWhole, "adam", KernelClass::kOptimizer},
    {Part::kWhole, "fusedoptimizer", KernelClass::kOptimizer},
    {Part::kWhole, "lambstage", KernelClass::kOptimizer},
    {Part::kWhole, "sgdfunctor", KernelClass::kOptimizer},
    {Part::kFunction, "embedding", KernelClass::kIndexing},
    {Part::kFunction, "gather", KernelClass::kIndexing},
    {Part::kFunction, "scatter", KernelClass::kIndexing},
    {Part::kFunction, "index", KernelClass::kIndexing},
    {Part::kFunction, "radixsort", KernelClass::kIndexing},
    {Part::kFunction, "radix_sort", KernelClass::kIndexing},
    {Part::kFunction, "unique_by_key", KernelClass::kIndexing},
    {Part::kFunction, "segment", KernelClass::kIndexing},
    {Part::kFunction, "compute_grad_weight", KernelClass::kIndexing},
    {Part::kFunction, "topk", KernelClass::kIndexing},
    {Part::kFunction, "triton_red", KernelClass::kReduction},
    {Part::kFunction, "triton_per", KernelClass::kReduction},
    {Part::kFunction, "reduce", KernelClass::kReduction},
    {Part::kFunction, "lpnorm", KernelClass::kReduction},
    {Part::kWhole, "lpnormfunctor", KernelClass::kReduction},
    {Part::kFunction, "scan", KernelClass::kReduction},
    {Part::kFunction, "elementwise", KernelClass::kElementwise},
    {Part::kFunction, "triton_poi", KernelClass::kElementwise},
    {Part::kFunction, "multi_tensor_apply", KernelClass::kElementwise},
    {Part::kFunction, "cast_transpose", KernelClass::kElementwise},
    {Part::kFunction, "catarraybatchedcopy", KernelClass::kElementwise},
    {Part::kFunction, "gelu", KernelClass::kElementwise},
    {Part::kFunction, "swiglu", KernelClass::kElementwise},
    {Part::kFunction, "dropout", KernelClass::kElementwise},
    {Part::kFunction, "rope", KernelClass::kElementwise},
    {Part::kFunction, "rotary", KernelClass::kElementwise},
    {Part::kFunction, "transpose", KernelClass::kElementwise},
    {Part::kFunction, "quantize", KernelClass::kElementwise},
    {Part::kFunction, "amax", KernelClass::kReduction},
    {Part::kFunction, "memcpy", KernelClass::kMemcpy},
    {Part::kFunction, "memset", KernelClass::kMemset},
};

// `words` must be in lower case.
bool ContainsIgnoringCase(std::string_view text, std::string_view words) {
  const auto found = std::search(
      text.begin(), text.end(), words.begin(), words.end(), [](char in_text, char lower) {
        return std::tolower(static_cast<unsigned char>(in_text)) == lower;
      });
  return found != text.end();
}

constexpr std::string_view kAnonymous = "(anonymous namespace)";

// The position where template arguments or parameters begin.
size_t EndOfFunction(std::string_view name) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (name[i] == '<' || name[i] == '(') {
      return i;
    }
  }
  return name.size();
}

struct CollectiveRule {
  std::string_view words;  // in lower case, without '_'
  std::string_view name;
};

// Longer names first, because shorter ones are parts of them.
constexpr CollectiveRule kCollectives[] = {
    {"alltoall", "all_to_all"},  {"reducescatter", "reduce_scatter"},
    {"allreduce", "all_reduce"}, {"allgather", "all_gather"},
    {"broadcast", "broadcast"},  {"barrier", "barrier"},
    {"sendrecv", "send_recv"},   {"reduce", "reduce"},
    {"scatter", "scatter"},      {"gather", "gather"},
    {"send", "send_recv"},       {"recv", "send_recv"},
};

std::string_view MatchCollective(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c != '_' && c != ' ')
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const CollectiveRule& rule : kCollectives) {
    if (letters.find(rule.words) != letters.npos) return rule.name;
  }
  return "other";
}

}  // namespace

std::string_view NameOf(KernelClass kernel_class) {
  constexpr std::string_view kNames[] = {
      "gemm",    "attention", "communication", "convolution", "normalization",
      "softmax", "optimizer", "reduction",     "indexing",    "elementwise",
      "memcpy",  "memset",    "other"};
  static_assert(std::size(kNames) == kKernelClassCount);
  return kNames[static_cast<size_t>(kernel_class)];
}

std::string_view FunctionOf(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  return name.substr(0, EndOfFunction(name));
}

KernelClass ClassOfKernel(std::string_view name) {
  const std::string_view function = FunctionOf(name);
  for (const Rule& rule : kRules) {
    if (ContainsIgnoringCase(rule.part == Part::kWhole ? name : function, rule.words)) {
      return rule.kernel_class;
    }
  }
  return KernelClass::kOther;
}

std::string_view CollectiveOf(std::string_view written, std::string_view kernel_name) {
  const std::string_view found = MatchCollective(written);
  // Function names contain more than the collective: AllReduce_Sum_bf16_RING_LL.
  return found != "other" ? found : MatchCollective(FunctionOf(kernel_name));
}

}  // namespace lockstep::traces

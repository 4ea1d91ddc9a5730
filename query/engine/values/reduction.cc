#include "query/engine/values/reduction.h"

#include <array>

namespace lockstep::engine {
namespace {

using promql::FunctionId;

struct ReductionInfo {
  std::string_view name;
  FunctionId function;
};

// By the number of the reduction.
constexpr std::array<ReductionInfo, 7> kInfos = {{{"min", FunctionId::kMinOverTime},
                                                  {"max", FunctionId::kMaxOverTime},
                                                  {"first", FunctionId::kFirstOverTime},
                                                  {"last", FunctionId::kLastOverTime},
                                                  {"sum", FunctionId::kSumOverTime},
                                                  {"avg", FunctionId::kAvgOverTime},
                                                  {"count", FunctionId::kCountOverTime}}};

constexpr std::array<Reduction, kInfos.size()> kAll = {
    Reduction::kMin, Reduction::kMax, Reduction::kFirst, Reduction::kLast,
    Reduction::kSum, Reduction::kAvg, Reduction::kCount};

}  // namespace

std::string_view Name(Reduction reduction) { return kInfos[static_cast<size_t>(reduction)].name; }

std::optional<Reduction> ReductionNamed(std::string_view name) {
  for (const Reduction reduction : kAll) {
    if (Name(reduction) == name) return reduction;
  }
  return std::nullopt;
}

std::span<const Reduction> AllReductions() { return kAll; }

FunctionId FunctionOf(Reduction reduction) {
  return kInfos[static_cast<size_t>(reduction)].function;
}

}  // namespace lockstep::engine

// Reduction: what a range query can return of all samples between two of its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "query/promql/syntax/functions.h"

namespace lockstep::engine {

enum class Reduction : uint8_t { kMin, kMax, kFirst, kLast, kSum, kAvg, kCount };

// The label that tells the series of one reduction from those of the others; its value is the
// reduction's name. Names that begin with "__" are not for users, so no stored series has it.
inline constexpr std::string_view kReduceLabel = "__reduce__";

// "min", "max"...
std::string_view Name(Reduction reduction);
std::optional<Reduction> ReductionNamed(std::string_view name);
std::span<const Reduction> AllReductions();

// The function over a range vector that it is: min_over_time...
promql::FunctionId FunctionOf(Reduction reduction);

}  // namespace lockstep::engine

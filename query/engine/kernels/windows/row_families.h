// The row functions by family, for the table in row_function.cc. Only for the kernels.
#pragma once

#include "query/engine/kernels/windows/row_function.h"

namespace lockstep::engine {

// row_folds: each window alone, several side by side. Null for other functions.
std::unique_ptr<RowFunction> MakeWindowFold(promql::FunctionId id);
// row_halves: for windows that overlap. Null for other functions.
std::unique_ptr<RowFunction> MakeHalvesFold(promql::FunctionId id);
// row_rates: from what is known of each pair of neighbours. Null for other functions.
std::unique_ptr<RowFunction> MakeRowRate(promql::FunctionId id);

}  // namespace lockstep::engine

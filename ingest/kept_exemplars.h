// Exemplars as rows that outlive the server. On disk: docs/formats/kept.md. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ingest/exemplar_store.h"

namespace lockstep {

// Rows of at most `max_row_bytes`, each of which can be read by itself; in order of arrival.
std::vector<std::string> EncodeKeptExemplars(const ExemplarStore& store, size_t max_row_bytes);
// take(series, exemplar) for each of a row; false if it is malformed, then some may have been taken.
[[nodiscard]] bool DecodeKeptExemplars(std::string_view row,
                                       absl::FunctionRef<void(const LabelSet&, Exemplar)> take);

}  // namespace lockstep

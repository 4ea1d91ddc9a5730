// Encodes exemplars and metadata as rows that survive restarts. On disk: docs/formats/kept.md. Pure
// functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ingest/side_data/exemplar_store.h"
#include "ingest/side_data/metadata_store.h"

namespace lockstep {

// Self-contained rows of at most `max_row_bytes`, in order of arrival.
std::vector<std::string> EncodeKeptExemplars(const ExemplarStore& store, size_t max_row_bytes);
// Calls take(series, exemplar) for each exemplar of a row. False if the row is malformed; some may
// have been taken by then.
[[nodiscard]] bool DecodeKeptExemplars(std::string_view row,
                                       absl::FunctionRef<void(const LabelSet&, Exemplar)> take);

// Rows of at most `max_row_bytes`; entries that fit into no row are dropped.
std::vector<std::string> EncodeKeptMetadata(const std::vector<MetadataStore::Metric>& metrics,
                                            size_t max_row_bytes);
// Appends a row's entries in order; false if the row is malformed.
[[nodiscard]] bool DecodeKeptMetadata(std::string_view row, std::vector<MetadataEntry>& entries);

}  // namespace lockstep

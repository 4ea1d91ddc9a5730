// Metadata as rows that outlive the server. On disk: docs/formats/kept.md. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/metadata_store.h"

namespace lockstep {

// Rows of at most `max_row_bytes`; what fits into none alone is left out.
std::vector<std::string> EncodeKeptMetadata(const std::vector<MetadataStore::Metric>& metrics,
                                            size_t max_row_bytes);
// Appends the entries of a row, in their order; false if it is malformed.
[[nodiscard]] bool DecodeKeptMetadata(std::string_view row, std::vector<MetadataEntry>& entries);

}  // namespace lockstep

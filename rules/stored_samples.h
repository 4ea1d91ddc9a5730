// Converts query results to samples and stores them.
#pragma once

#include "base/status.h"
#include "ingest/write/decoded_write.h"
#include "query/engine/values/value.h"
#include "scrape/scrape_sink.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::rules {

// Converts a query result to the vector that rules use; a scalar becomes one element without
// labels. Returns kInvalidArgument for other kinds.
absl::StatusOr<engine::VectorResult> VectorOf(engine::QueryValue value);

// Blocks until the samples are stored; otherwise returns an error. A series may have several
// samples.
absl::Status WriteAndWait(const scrape::StoreSamples& store, const engine::VectorResult& samples);
absl::Status WriteAndWait(Storage& storage, const engine::VectorResult& samples);

}  // namespace lockstep::rules

// What queries answer, as samples to be stored.
#pragma once

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "query/engine/value.h"
#include "scrape/scrape_sink.h"
#include "storage/storage.h"

namespace lockstep::rules {

// The vector that rules go by: a scalar is one element without labels. kInvalidArgument for other kinds.
absl::StatusOr<engine::VectorResult> VectorOf(engine::QueryValue value);

// Return when the samples are stored, or why they are not. Samples of one series may follow each other.
absl::Status WriteAndWait(const scrape::StoreSamples& store, const engine::VectorResult& samples);
absl::Status WriteAndWait(Storage& storage, const engine::VectorResult& samples);

}  // namespace lockstep::rules

// Encodes a WriteRequest as a remote write 2.0 message: the counterpart of
// ingest/remote_write/remote_write_v2.h.
#pragma once

#include <string>
#include <vector>

#include "ingest/side_data/exemplar_store.h"
#include "ingest/side_data/metadata_store.h"
#include "storage/storage.h"

namespace lockstep {

// Encodes as Prometheus does: symbols in order of first use, a series with both kinds of samples as
// two, exemplars as series without samples. Ignores `request.known`. Metadata goes with the series
// of its metric.
std::string EncodeRemoteWriteV2(const WriteRequest& request,
                                const std::vector<MetadataEntry>& metadata = {},
                                const std::vector<SeriesExemplars>& exemplars = {});

}  // namespace lockstep

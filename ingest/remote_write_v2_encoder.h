// A WriteRequest as the message of remote write 2.0: the counterpart of ingest/remote_write_v2.h.
#pragma once

#include <string>
#include <vector>

#include "ingest/exemplar_store.h"
#include "ingest/metadata_store.h"
#include "storage/storage.h"

namespace lockstep {

// As Prometheus writes it: symbols in the order of their first use, a series with both kinds of samples as
// two, exemplars as series without samples. `request.known` is not looked at. Metadata goes with the series
// of its metric.
std::string EncodeRemoteWriteV2(const WriteRequest& request,
                                const std::vector<MetadataEntry>& metadata = {},
                                const std::vector<SeriesExemplars>& exemplars = {});

}  // namespace lockstep

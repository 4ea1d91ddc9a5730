// Encodes remote write 1.0 requests, for our own clients: the counterpart of remote_write.h.
#pragma once

#include <string>
#include <vector>

#include "ingest/side_data/metadata_store.h"
#include "storage/write.h"

namespace lockstep {

// The protobuf message, uncompressed. Histograms are encoded as float histograms.
std::string EncodeRemoteWrite(const WriteRequest& request,
                              const std::vector<MetadataEntry>& metadata = {});

}  // namespace lockstep

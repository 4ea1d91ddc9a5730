// The other direction of remote_write.h: what a client of ours sends.
#pragma once

#include <string>
#include <vector>

#include "ingest/metadata_store.h"
#include "storage/storage.h"

namespace lockstep {

// The protobuf message, uncompressed. Histograms go out in their float form.
std::string EncodeRemoteWrite(const WriteRequest& request,
                              const std::vector<MetadataEntry>& metadata = {});

}  // namespace lockstep

// A block of a Prometheus' store, read by import/tsdb_blocks, as samples.
#pragma once

#include <string>

#include "base/status.h"
#include "import/import_session.h"

namespace lockstep::importer {

// `folder` is the block's. Damaged series and chunks are counted and the first is told. Fails when a file cannot
// be read or the server takes nothing more.
absl::Status ImportBlock(const std::string& folder, const ImportSession& session,
                         ImportReport& report);

}  // namespace lockstep::importer

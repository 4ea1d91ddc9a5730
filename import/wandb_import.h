// A run that W&B logged on disk, to a server.
#pragma once

#include "base/status.h"
#include "import/byte_source.h"
#include "import/import_session.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

// `given` is what the user says of the run, which counts more than what the file says; `found` what
// its path says, which counts less. Fails when the file cannot be read or the server takes nothing
// more.
absl::Status ImportWandb(ByteSource& source, const logs::LogHints& given,
                         const logs::LogHints& found, const ImportSession& session,
                         ImportReport& report);

}  // namespace lockstep::importer

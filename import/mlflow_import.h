// The runs in MLflow's SQLite database, to a server.
#pragma once

#include <string>

#include "base/status.h"
#include "import/import_session.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

// `given` is what the user says of the runs; a job counts more than their experiment.
// kInvalidArgument: the database is not MLflow's, or `given` names one run and there are several.
// Fails when the server takes nothing more.
absl::Status ImportMlflow(const std::string& path, const logs::LogHints& given,
                          const ImportSession& session, ImportReport& report);

}  // namespace lockstep::importer

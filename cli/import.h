// `lockstep import`: a file in a text format, sent to a server by remote write.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "cli/http_client.h"
#include "import/import_run.h"

namespace lockstep::cli {

struct ImportFlags {
  HttpClientOptions server;
  importer::ImportOptions import;
};

// Progress goes to standard error if that is a terminal, complaints go there always, the totals to
// standard output.
ExitCode Import(const ImportFlags& flags);

}  // namespace lockstep::cli

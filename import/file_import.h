// One file, whatever it is, to a server.
#pragma once

#include <optional>

#include "base/status.h"
#include "import/file_kind.h"
#include "import/import_session.h"
#include "import/input_files.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

struct FileImportOptions {
  std::optional<FileFormat> format;  // of all files; else each is looked at
  logs::LogHints hints;              // of all files; before those of their paths
};

// Fails when the file cannot be read, is of no known format (kInvalidArgument), or when the server takes
// nothing more. The report says of the file what is known even then.
absl::Status ImportFile(const InputFile& file, const FileImportOptions& options,
                        const ImportSession& session, ImportReport& report);

}  // namespace lockstep::importer

// Imports one file of any kind into a server.
#pragma once

#include <optional>

#include "base/status.h"
#include "import/delivery/import_session.h"
#include "import/files/file_kind.h"
#include "import/files/input_files.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::importer {

struct FileImportOptions {
  std::optional<FileFormat> format;  // of all files; otherwise detected per file
  logs::LogHints hints;              // for all files; override hints from paths
};

// Fails if the file cannot be read, has no known format (kInvalidArgument), or the server accepts
// no more. Even then, the report contains what is known about the file.
absl::Status ImportFile(const InputFile& file, const FileImportOptions& options,
                        const ImportSession& session, ImportReport& report);

}  // namespace lockstep::importer

// LogImport: a training log, or a file of steps, pushed to a server piece by piece. Not thread-safe.
//
// The stream's name is made of the file's path, size and time of change, and of the hints: the same file
// imported again goes on where the server has it, and one that it has whole costs no byte. Records without a
// time have that of the file's last change, so that they are the same ones every time.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "import/byte_source.h"
#include "import/import_session.h"
#include "import/pushed_log.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

// Reads all of `source`, or of the file again if the server forgot the stream meanwhile. Lines that are broken
// are counted and told.
absl::Status ImportLog(std::unique_ptr<ByteSource> source, PushedLog::Route route,
                       const logs::LogHints& hints, const ImportSession& session,
                       ImportReport& report);

}  // namespace lockstep::importer

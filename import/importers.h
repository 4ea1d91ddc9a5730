// One function for each kind of source that ImportFile() tells apart; the comment at the top of a
// source file describes its kind. Each counts what is damaged and reports it, and fails if a file
// cannot be read or the server accepts no more.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/status.h"
#include "import/delivery/import_session.h"
#include "import/delivery/pushed_log.h"
#include "import/delivery/sample_sender.h"
#include "import/files/byte_source.h"
#include "import/files/file_kind.h"
#include "ingest/exposition/text_format.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::importer {

// `folder` is the block's folder. Reports the first damaged series or chunk.
absl::Status ImportBlock(const std::string& folder, const ImportSession& session,
                         ImportReport& report);

// A flight recorder's dump or a stack. Needs a job and a rank, from `hints` or the file's name.
absl::Status ImportDump(ByteSource& source, const logs::LogHints& hints,
                        const ImportSession& session, ImportReport& report);

// Reads `source` to its end, and reopens the file if the server lost the stream meanwhile.
absl::Status ImportLog(std::unique_ptr<ByteSource> source, PushedLog::Route route,
                       const logs::LogHints& hints, const ImportSession& session,
                       ImportReport& report);

// `given` are the user's hints; a given job overrides the runs' experiment. kInvalidArgument: the
// database is not MLflow's, or `given` names one run but there are several.
absl::Status ImportMlflow(const std::string& path, const logs::LogHints& given,
                          const ImportSession& session, ImportReport& report);

// Malformed lines are not failures.
absl::Status ImportText(ByteSource& source, exposition::TextFormat format,
                        const ImportSession& session, ImportReport& report,
                        size_t max_batch_samples = kMaxRequestSamples);

// `kind` is kTensorboard, kKineto or kNsys.
absl::Status ImportTrace(ByteSource& source, FileKind kind, const logs::LogHints& hints,
                         const ImportSession& session, ImportReport& report);

// `given` are the user's hints, which override the file's; `found` are the path's hints, which do
// not.
absl::Status ImportWandb(ByteSource& source, const logs::LogHints& given,
                         const logs::LogHints& found, const ImportSession& session,
                         ImportReport& report);

}  // namespace lockstep::importer

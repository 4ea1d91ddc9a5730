// What is known of a file beside its bytes. Pure function.
#pragma once

#include "import/input_files.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

// What `file`'s path says, and before that what is set in `given`. Files of a walk that say no run are of the
// run that their folder below the walk's is called.
logs::LogHints HintsOf(const InputFile& file, const logs::LogHints& given);

}  // namespace lockstep::importer

// What Hugging Face's Trainer logs, in whatever form. Pure functions.
#pragma once

#include <span>

#include "ingest/logs/log_record.h"

namespace lockstep::logs {

// Training steps have a "loss", evaluations names with "eval_"; the summary at the end has neither.
RecordKind KindOfHuggingFaceRecord(std::span<const LogValue> values);

}  // namespace lockstep::logs

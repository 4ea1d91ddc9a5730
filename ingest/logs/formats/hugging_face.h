// The logs of Hugging Face's Trainer, in any format. Pure functions.
#pragma once

#include <span>

#include "ingest/logs/record/log_record.h"

namespace lockstep::logs {

// Training steps have a "loss", evaluations have "eval_" names, the final summary has neither.
RecordKind KindOfHuggingFaceRecord(std::span<const LogValue> values);

}  // namespace lockstep::logs

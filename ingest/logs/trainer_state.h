// Hugging Face's trainer_state.json: one document, whose "log_history" is the log.
//
// Source: huggingface/transformers, src/transformers/trainer_callback.py (TrainerState).
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

// Emits all records when the document ends; another one may follow.
std::unique_ptr<LogFormat> NewTrainerState();
bool IsTrainerState(std::string_view line);

}  // namespace lockstep::logs

// The dictionaries that Hugging Face's Trainer prints between tqdm's bars.
//
// They have no step. Where it comes from, the best first:
//   1. the bar that tqdm draws again right behind a dictionary that was printed through it
//   2. the number of dictionaries times LogHints::logging_steps
//   3. a bar that stands right before the dictionary, in the same line
//   4. as many steps after the record before as that one was after its own predecessor
// A record waits for the line behind it, for the first of these. Without any it has no step, and is placed by
// the tokens seen, if it says.
//
// Source: huggingface/transformers, src/transformers/trainer_callback.py (ProgressCallback, PrinterCallback).
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewHuggingFaceStdout();
bool IsHuggingFaceStdout(std::string_view line);

}  // namespace lockstep::logs

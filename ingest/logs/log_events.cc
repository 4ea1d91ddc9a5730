#include "ingest/logs/log_events.h"

namespace lockstep::logs {
namespace {

struct Sign {
  std::string_view text;
  LogEvent event;
};

// The first sign in a line names the event.
constexpr Sign kSigns[] = {
    {"using world size:", {"launch", true}},
    {" - INFO - Starting job:", {"launch", true}},
    {"loading checkpoint from", {"checkpoint_loaded", true}},
    {"successfully loaded checkpoint", {"checkpoint_loaded", true}},
    {"Loading the checkpoint", {"checkpoint_loaded", true}},
    {"Restoring states from the checkpoint", {"checkpoint_loaded", true}},
    {"Resuming training from", {"checkpoint_loaded", true}},
    {"Continuing training from", {"checkpoint_loaded", true}},
    {"Resuming from", {"checkpoint_loaded", true}},
    {"successfully saved checkpoint", {"checkpoint_saved"}},
    {"Saving model checkpoint to", {"checkpoint_saved"}},
    {"Finished saving the checkpoint", {"checkpoint_saved"}},
    {"NVRM: Xid", {"xid"}},
    {"NCCL WARN", {"nccl_error"}},
    {"NCCL operations have failed", {"nccl_error"}},
    {"Watchdog caught collective operation timeout", {"nccl_error"}},
    {"STRAGGLER DETECTION WARNING", {"straggler"}},
    {"CUDA out of memory", {"out_of_memory"}},
    {"OutOfMemoryError", {"out_of_memory"}},
    {"Traceback (most recent call last)", {"crash"}},
    {"ChildFailedError", {"crash"}},
    {"CUDA error:", {"crash"}},
    {"Segmentation fault", {"crash"}},
    {"closing signal SIG", {"terminated"}},
    // Megatron, Lightning and its derivatives, torchtitan and transformers.
    {"[after training is done]", {"training_end"}},
    {"`Trainer.fit` stopped:", {"training_end"}},
    {"Training completed", {"training_end"}},
};

}  // namespace

std::optional<LogEvent> EventOf(std::string_view line) {
  for (const Sign& sign : kSigns) {
    if (line.find(sign.text) != line.npos) return sign.event;
  }
  return std::nullopt;
}

}  // namespace lockstep::logs

#include "ingest/logs/log_formats.h"

#include "ingest/logs/formats/formats.h"

namespace lockstep::logs {
namespace {

bool IsNever(std::string_view) { return false; }

// Specific formats before more general ones.
constexpr LogFormatKind kKinds[] = {
    {"lightning_csv", IsLightningHeader, true, NewCsv},
    {"wandb_export", IsWandbExport, true, NewWandbExport},
    {"csv", IsCsvHeader, true, NewCsv},
    {"deepspeed_csv", IsNever, true, NewDeepspeedCsv},
    {"mlflow_file", IsMlflowLine, true, NewMlflowFile},
    {"hf_trainer_state", IsTrainerState, true, NewTrainerState},
    {"torchelastic_error", IsTorchelasticError, false, NewTorchelasticError},
    {"nccl_inspector", IsNcclInspector, false, NewNcclInspector},
    {"wandb_events", IsWandbEvents, false, NewWandbEvents},
    {"wandb_history", IsWandbHistory, false, NewWandbHistory},
    {"jsonl", IsJsonObject, false, NewJsonLines},
    {"megatron", IsMegatronIteration, false, NewMegatron},
    {"megatron_straggler", IsMegatronStragglerReport, false, NewMegatron},
    {"nemo", IsNemoProgress, false, NewNemo},
    {"nemo_delta", IsNemoDeltaTiming, false, NewNemo},
    {"torchtitan", IsTorchtitan, false, NewTorchtitan},
    {"hf_stdout", IsHuggingFaceStdout, false, NewHuggingFaceStdout},
    {"deepspeed", IsDeepspeed, false, NewDeepspeed},
    {"deepspeed_comms", IsDeepspeedComms, false, NewDeepspeed},
    {"nanogpt", IsNanogpt, false, NewNanogpt},
    {"nvrx", IsNvrxReport, false, NewNvrxReport},
    {"nccl", IsNcclDebug, false, NewNcclDebug},
    {"nccl_tests", IsNcclTests, false, NewNcclTests},
};

}  // namespace

std::span<const LogFormatKind> LogFormatKinds() { return kKinds; }

std::vector<std::string_view> LogFormatNames() {
  std::vector<std::string_view> names;
  for (const LogFormatKind& kind : kKinds) names.push_back(kind.name);
  return names;
}

const LogFormatKind* LogFormatByName(std::string_view name) {
  for (const LogFormatKind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const LogFormatKind* LogFormatOfLine(std::string_view line, bool is_first) {
  for (const LogFormatKind& kind : kKinds) {
    if (kind.is_first_line && !is_first) continue;
    if (kind.is_line(line)) return &kind;
  }
  return nullptr;
}

}  // namespace lockstep::logs

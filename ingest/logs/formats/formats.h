// The formats of training logs: for each, its parser and whether a line clearly has that format.
// The comment at the top of a format's source describes it. Pure functions.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/record/log_format.h"

namespace lockstep::logs {

// In csv_table.cc:
std::unique_ptr<LogFormat> NewCsv();
// Its "step" column counts samples.
std::unique_ptr<LogFormat> NewDeepspeedCsv();

// Whether a stream's first line is Lightning's header.
bool IsLightningHeader(std::string_view line);
bool IsCsvHeader(std::string_view line);

// In deepspeed.cc:
std::unique_ptr<LogFormat> NewDeepspeed();
bool IsDeepspeed(std::string_view line);
bool IsDeepspeedComms(std::string_view line);

// In hugging_face_stdout.cc:
std::unique_ptr<LogFormat> NewHuggingFaceStdout();
bool IsHuggingFaceStdout(std::string_view line);

// In json_lines.cc:

// Accepts any object with a step, a time or a number.
std::unique_ptr<LogFormat> NewJsonLines();
std::unique_ptr<LogFormat> NewWandbHistory();
std::unique_ptr<LogFormat> NewWandbEvents();
std::unique_ptr<LogFormat> NewNcclInspector();
std::unique_ptr<LogFormat> NewTorchelasticError();

bool IsJsonObject(std::string_view line);
bool IsWandbHistory(std::string_view line);
bool IsWandbEvents(std::string_view line);
bool IsNcclInspector(std::string_view line);
bool IsTorchelasticError(std::string_view line);

// In megatron.cc:
std::unique_ptr<LogFormat> NewMegatron();
bool IsMegatronIteration(std::string_view line);
bool IsMegatronStragglerReport(std::string_view line);

// In mlflow_file.cc:
std::unique_ptr<LogFormat> NewMlflowFile();
bool IsMlflowLine(std::string_view line);

// In nanogpt.cc:
std::unique_ptr<LogFormat> NewNanogpt();
bool IsNanogpt(std::string_view line);

// In nccl_debug.cc:
std::unique_ptr<LogFormat> NewNcclDebug();
bool IsNcclDebug(std::string_view line);

// In nccl_tests.cc:
std::unique_ptr<LogFormat> NewNcclTests();
bool IsNcclTests(std::string_view line);

// In nemo.cc:
std::unique_ptr<LogFormat> NewNemo();
bool IsNemoProgress(std::string_view line);
bool IsNemoDeltaTiming(std::string_view line);

// In nvrx_report.cc:
std::unique_ptr<LogFormat> NewNvrxReport();
bool IsNvrxReport(std::string_view line);

// In torchtitan.cc:
std::unique_ptr<LogFormat> NewTorchtitan();
bool IsTorchtitan(std::string_view line);

// In trainer_state.cc:

// Emits all records when the document ends; another document may follow.
std::unique_ptr<LogFormat> NewTrainerState();
bool IsTrainerState(std::string_view line);

// In wandb_export.cc:

// Emits a record per run and row. Bounds are kept if they differ from the value: as METRIC_min and
// METRIC_max.
std::unique_ptr<LogFormat> NewWandbExport();
bool IsWandbExport(std::string_view line);

}  // namespace lockstep::logs

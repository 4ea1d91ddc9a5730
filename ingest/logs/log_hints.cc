#include "ingest/logs/log_hints.h"

#include <vector>

#include "ingest/logs/number_text.h"

namespace lockstep::logs {
namespace {

std::vector<std::string_view> FoldersOf(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == path.npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// RUN_RANDOM/attempt_1/3/stdout.log
void ReadTorchrun(const std::vector<std::string_view>& parts, LogHints& hints) {
  for (size_t i = 1; i + 2 < parts.size(); ++i) {
    std::string_view attempt = parts[i];
    if (!TakePrefix(attempt, "attempt_")) continue;
    const auto number = RankOf(attempt);
    const auto rank = RankOf(parts[i + 1]);
    if (!number.has_value() || !rank.has_value()) continue;
    hints.attempt = static_cast<uint32_t>(*number);
    hints.rank = rank;
    hints.run = parts[i - 1].substr(0, parts[i - 1].rfind('_'));
  }
}

// mlruns/0/5f1c0d2e/metrics/system/gpu_0_power
void ReadMlflow(const std::vector<std::string_view>& parts, LogHints& hints) {
  for (size_t i = 0; i + 4 < parts.size(); ++i) {
    if (parts[i] != "mlruns" || parts[i + 3] != "metrics") continue;
    hints.run = parts[i + 2];
    hints.format = "mlflow_file";
    for (size_t part = i + 4; part < parts.size(); ++part) {
      if (!hints.metric.empty()) hints.metric.push_back('/');
      hints.metric.append(parts[part]);
    }
    return;
  }
}

// slurm-4242.out, slurm-4242_3.out of a job's array
void ReadSlurm(std::string_view file, LogHints& hints) {
  if (!TakePrefix(file, "slurm-") || !file.ends_with(".out")) return;
  file.remove_suffix(sizeof(".out") - 1);
  hints.run = file;
}

}  // namespace

LogHints HintsFromPath(std::string_view path) {
  LogHints hints;
  const std::vector<std::string_view> parts = FoldersOf(path);
  const std::string_view file = parts.back();
  ReadTorchrun(parts, hints);
  ReadMlflow(parts, hints);
  ReadSlurm(file, hints);
  if (parts.size() > 1 && parts[parts.size() - 2].starts_with("version_") &&
      file == "metrics.csv") {
    hints.run = parts[parts.size() - 2];
  }
  if (file == "trainer_state.json") hints.format = "hf_trainer_state";
  if (file == "error.json") hints.format = "torchelastic_error";
  if (file.starts_with("Train_Samples_") && file.ends_with(".csv")) {
    hints.format = "deepspeed_csv";
  }
  return hints;
}

}  // namespace lockstep::logs

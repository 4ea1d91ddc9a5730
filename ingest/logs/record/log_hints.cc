#include "ingest/logs/record/log_hints.h"

#include <vector>

#include "ingest/logs/text/number_text.h"

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

// The form of MLflow's run IDs.
bool IsMlflowRunId(std::string_view folder) {
  constexpr size_t kDigits = 32;
  return folder.size() == kDigits &&
         folder.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// mlruns/0/5f1c0d2e/metrics/system/gpu_0_power; a store with another name is recognized by its run
// IDs.
void ReadMlflow(const std::vector<std::string_view>& parts, LogHints& hints) {
  for (size_t i = 0; i + 4 < parts.size(); ++i) {
    if (parts[i] != "mlruns" && !IsMlflowRunId(parts[i + 2])) continue;
    if (parts[i + 3] != "metrics") continue;
    hints.run = parts[i + 2];
    hints.format = "mlflow_file";
    for (size_t part = i + 4; part < parts.size(); ++part) {
      if (!hints.metric.empty()) hints.metric.push_back('/');
      hints.metric.append(parts[part]);
    }
    return;
  }
}

// slurm-4242.out, or slurm-4242_3.out for a job array
void ReadSlurm(std::string_view file, LogHints& hints) {
  if (!TakePrefix(file, "slurm-") || !file.ends_with(".out")) return;
  file.remove_suffix(sizeof(".out") - 1);
  hints.run = file;
}

bool IsLetter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

// The rank in rank3.log, rank_3/train.log, pretrain-rank=3.out and NeMo's
// nemo_log_globalrank-3_localrank-1.txt; local ranks do not count.
std::optional<int32_t> RankInName(std::string_view name) {
  constexpr std::string_view kWord = "rank";
  for (size_t at = name.find(kWord); at != name.npos; at = name.find(kWord, at + 1)) {
    const std::string_view before = name.substr(0, at);
    std::string_view number = name.substr(at + kWord.size());
    const bool is_word = before.empty() || before.ends_with("global") || !IsLetter(before.back());
    if (!is_word || before.ends_with("local_") || before.ends_with("local-")) continue;
    if (!number.empty() && std::string_view("-_=.").find(number.front()) != number.npos) {
      number.remove_prefix(1);
    }
    size_t digits = 0;
    while (digits < number.size() && IsDigit(number[digits])) ++digits;
    if (const auto rank = RankOf(number.substr(0, digits))) return rank;
  }
  return std::nullopt;
}

// From the file name, otherwise from the nearest folder.
void ReadRankNames(const std::vector<std::string_view>& parts, LogHints& hints) {
  for (auto part = parts.rbegin(); part != parts.rend() && !hints.rank.has_value(); ++part) {
    hints.rank = RankInName(*part);
  }
}

}  // namespace

LogHints HintsFromPath(std::string_view path) {
  LogHints hints;
  const std::vector<std::string_view> parts = FoldersOf(path);
  const std::string_view file = parts.back();
  ReadTorchrun(parts, hints);
  ReadMlflow(parts, hints);
  ReadSlurm(file, hints);
  ReadRankNames(parts, hints);
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

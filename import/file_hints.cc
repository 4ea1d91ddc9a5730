#include "import/file_hints.h"

#include <filesystem>
#include <string>

namespace lockstep::importer {
namespace {

// "a/b" of "a/b/checkpoint-120": what a run's checkpoints hold is the run's.
std::string RunOfFolder(const std::string& folder) {
  std::string run;
  for (const std::filesystem::path& part : std::filesystem::path(folder)) {
    if (part.string().starts_with("checkpoint-")) continue;
    if (!run.empty()) run += '/';
    run += part.string();
  }
  return run;
}

}  // namespace

logs::LogHints HintsOf(const InputFile& file, const logs::LogHints& given) {
  std::error_code error;
  logs::LogHints hints;
  if (file.path != "-") {
    hints = logs::HintsFromPath(std::filesystem::absolute(file.path, error).string());
  }
  const std::string run = RunOfFolder(file.folder);
  // "exp-a/version_0" says more than "version_0".
  if (hints.run.empty() || run.ends_with("/" + hints.run)) hints.run = run;
  if (!given.job.empty()) hints.job = given.job;
  if (!given.run.empty()) hints.run = given.run;
  if (!given.format.empty()) hints.format = given.format;
  if (given.rank.has_value()) hints.rank = given.rank;
  if (given.logging_steps != 0) hints.logging_steps = given.logging_steps;
  return hints;
}

}  // namespace lockstep::importer

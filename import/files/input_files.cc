#include "import/files/input_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "import/delivery/resume_point.h"

namespace lockstep::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpoint = "checkpoint-";

bool IsBlock(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "meta.json", ignored) &&
         fs::is_regular_file(folder / "index", ignored) &&
         fs::is_directory(folder / "chunks", ignored);
}

// The data that Prometheus has not yet written as a block.
bool IsHeadOfStore(const fs::path& folder) {
  const std::string name = folder.filename();
  if (name == "wal" || name == "wbl") return fs::exists(folder.parent_path() / "chunks_head");
  return name == "chunks_head" && fs::exists(folder.parent_path() / "wal");
}

bool IsLeftOut(const fs::path& path) {
  const std::string name = path.filename();
  return name.starts_with('.') || name.ends_with(ResumePath("")) ||
         name.ends_with(ResumePath("") + ".new");
}

// "run-20260302_091500-5f1c0d2e", "offline-run-..."
bool IsNameOfWandbRun(std::string_view name) {
  return name.starts_with("run-") || name.starts_with("offline-run-");
}

// The transaction logs in a W&B run's folder, usually one. None in other folders.
std::vector<fs::path> WandbLogsOf(const fs::path& folder) {
  std::vector<fs::path> logs;
  if (!IsNameOfWandbRun(folder.filename().string())) return logs;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (name.starts_with("run-") && name.ends_with(".wandb")) logs.push_back(at->path());
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

// Links to W&B's own logs, next to the folders of its runs.
bool IsDebugLogOfWandb(const fs::path& path) {
  const std::string name = path.filename();
  return name.starts_with("debug") && name.ends_with(".log") &&
         path.parent_path().filename().string().ends_with("wandb");
}

class Walk {
 public:
  // `name` is the user's name for the folder.
  Walk(fs::path root, std::string name, InputFiles& found)
      : root_(std::move(root)), name_(std::move(name)), found_(found) {}

  void Run() { Enter(root_); }

 private:
  void Enter(const fs::path& folder) {
    if (IsBlock(folder)) return Add(folder, true);
    if (const std::vector<fs::path> logs = WandbLogsOf(folder); !logs.empty()) {
      return EnterWandbRun(folder, logs);
    }
    if (IsHeadOfStore(folder)) {
      found_.remarks.push_back(absl::StrFormat(
          "%s is left out: Prometheus has not written it as a block yet; import it from the server "
          "(--from-prometheus) or take a snapshot",
          folder.string()));
      return;
    }
    std::error_code error;
    std::set<fs::path> entries;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      entries.insert(at->path());
    }
    if (error) {
      found_.remarks.push_back(
          absl::StrFormat("%s cannot be read: %s", folder.string(), error.message()));
    }
    for (const fs::path& entry : entries) {
      std::error_code ignored;
      if (IsLeftOut(entry) || IsDebugLogOfWandb(entry)) continue;
      // A linked folder may lead back here.
      if (fs::is_directory(fs::symlink_status(entry, ignored))) {
        Enter(entry);
      } else if (fs::is_regular_file(entry, ignored)) {
        Add(entry, false);
      }
    }
  }

  void EnterWandbRun(const fs::path& folder, const std::vector<fs::path>& logs) {
    for (const fs::path& log : logs) Add(log, false);
    const fs::path output = folder / "files" / "output.log";
    std::error_code ignored;
    if (!fs::is_regular_file(output, ignored)) return;
    found_.remarks.push_back(absl::StrFormat(
        "%s is left out: it is the program's output; name it explicitly to import it",
        output.string()));
  }

  void Add(const fs::path& path, bool is_block) {
    const fs::path folder = path.parent_path().lexically_relative(root_);
    found_.files.push_back(
        {path.string(), folder == "." ? "" : folder.string(), false, is_block, name_});
  }

  const fs::path root_;
  const std::string name_;
  InputFiles& found_;
};

// N from ".../checkpoint-N/trainer_state.json"; -1 for any other path.
int64_t CheckpointOf(const fs::path& path) {
  const std::string folder = path.parent_path().filename();
  if (path.filename() != "trainer_state.json" || !folder.starts_with(kCheckpoint)) return -1;
  int64_t number = -1;
  std::from_chars(folder.data() + kCheckpoint.size(), folder.data() + folder.size(), number);
  return number;
}

void KeepLastCheckpoints(std::vector<InputFile>& files) {
  std::map<fs::path, int64_t> last;  // by the checkpoints' folder
  const auto run_of = [](const InputFile& file) {
    return fs::path(file.path).parent_path().parent_path();
  };
  for (const InputFile& file : files) {
    int64_t& number = last.try_emplace(run_of(file), -1).first->second;
    number = std::max(number, CheckpointOf(file.path));
  }
  std::erase_if(files, [&](const InputFile& file) {
    const int64_t number = CheckpointOf(file.path);
    return number >= 0 && !file.is_named && number < last[run_of(file)];
  });
}

// "a/b" for "a/b/checkpoint-120": a checkpoint's files belong to its run.
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

InputFiles FindInputFiles(const std::vector<std::string>& paths) {
  InputFiles found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      found.files.push_back({path, "", true, false});
    } else if (fs::path folder = fs::path(path).lexically_normal(); IsBlock(folder)) {
      found.files.push_back({path, "", true, true});
    } else {
      if (folder.filename().empty()) folder = folder.parent_path();
      found.folders.push_back(path);
      Walk(std::move(folder), path, found).Run();
    }
  }
  KeepLastCheckpoints(found.files);
  return found;
}

logs::LogHints HintsOf(const InputFile& file, const logs::LogHints& given) {
  std::error_code error;
  logs::LogHints hints;
  if (file.path != "-") {
    hints = logs::HintsFromPath(std::filesystem::absolute(file.path, error).string());
  }
  const std::string run = RunOfFolder(file.folder);
  // "exp-a/version_0" is more specific than "version_0".
  if (hints.run.empty() || run.ends_with("/" + hints.run)) hints.run = run;
  if (!given.job.empty()) hints.job = given.job;
  if (!given.run.empty()) hints.run = given.run;
  if (!given.format.empty()) hints.format = given.format;
  if (given.rank.has_value()) hints.rank = given.rank;
  if (given.logging_steps != 0) hints.logging_steps = given.logging_steps;
  return hints;
}

}  // namespace lockstep::importer

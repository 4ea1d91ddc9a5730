// The nodes of a Slurm cluster as a source of targets, from the output of `scontrol show nodes
// --oneliner`.
#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/run_program.h"
#include "scrape/discovery/sources.h"

namespace lockstep::scrape {
namespace {

// Many times the output for a large cluster.
constexpr size_t kMaxOutputBytes = 64 << 20;
constexpr milliseconds kCommandTimeout{30'000};

class SlurmSource : public TargetSource {
 public:
  explicit SlurmSource(SlurmDiscovery config) : config_(std::move(config)) {}

  std::string name() const override {
    return config_.file.empty() ? config_.command.front() : config_.file;
  }

  absl::StatusOr<std::optional<FoundTargets>> Look() override {
    text_.clear();
    memory_.Reset();
    absl::StatusOr<FoundTargets> found = ReadNodes();
    std::string().swap(text_);
    memory_.Reset();
    if (!found.ok()) return found.status();
    return *std::move(found);
  }

 private:
  absl::StatusOr<FoundTargets> ReadNodes() {
    LOCKSTEP_RETURN_IF_ERROR(config_.file.empty() ? RunCommand() : ReadFile());
    return SlurmTargets(text_, config_.port);
  }

  absl::Status RunCommand() {
    ProgramCall call;
    call.arguments = config_.command;
    call.timeout = kCommandTimeout;
    call.is_cancelled = &is_cancelled();
    return RunProgram(call, [this](std::string_view output) { return Take(output); });
  }

  absl::Status ReadFile() {
    std::ifstream file(config_.file, std::ios::binary);
    std::array<char, 64 << 10> bytes;
    while (file) {
      file.read(bytes.data(), bytes.size());
      LOCKSTEP_RETURN_IF_ERROR(
          Take(std::string_view(bytes.data(), static_cast<size_t>(file.gcount()))));
    }
    if (file.eof()) return absl::OkStatus();
    return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", config_.file));
  }

  absl::Status Take(std::string_view output) {
    if (text_.size() + output.size() > kMaxOutputBytes) {
      return absl::OutOfRangeError(
          absl::StrFormat("the list of nodes has more than %d bytes", kMaxOutputBytes));
    }
    // A growing string may allocate twice its size.
    LOCKSTEP_RETURN_IF_ERROR(memory_.Add(2 * output.size()));
    text_ += output;
    return absl::OkStatus();
  }

  const SlurmDiscovery config_;
  std::string text_;  // of the current lookup
  MemoryCharge memory_{MemoryAccount::kScrapes};
};

}  // namespace

std::unique_ptr<TargetSource> MakeSlurmSource(SlurmDiscovery config) {
  return std::make_unique<SlurmSource>(std::move(config));
}

}  // namespace lockstep::scrape

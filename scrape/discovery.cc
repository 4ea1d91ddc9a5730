#include "scrape/discovery.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <type_traits>
#include <utility>

#include "base/log.h"
#include "scrape/discovery/sources.h"

namespace lockstep::scrape {
namespace {

// How long Refresh() waits for sources, so that most answer within the same call.
constexpr milliseconds kPatience{1'000};

// The files that match a pattern with at most one '*', in its last part.
std::vector<std::string> FilesOf(const std::string& pattern) {
  const std::filesystem::path path(pattern);
  const std::string name = path.filename().string();
  const size_t star = name.find('*');
  if (star == std::string::npos) return {pattern};
  const std::string begin = name.substr(0, star), end = name.substr(star + 1);
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), error)) {
    const std::string found = entry.path().filename().string();
    const bool fits = found.size() >= begin.size() + end.size() && found.starts_with(begin) &&
                      found.ends_with(end);
    if (fits) files.push_back(entry.path().string());
  }
  return files;
}

}  // namespace

std::unique_ptr<TargetSource> Discovery::MakeSource(const SourceConfig& config) {
  return std::visit(
      [](const auto& kind) -> std::unique_ptr<TargetSource> {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, HttpDiscovery>) return MakeHttpSource(kind);
        if constexpr (std::is_same_v<Kind, DnsDiscovery>) return MakeDnsSource(kind);
        if constexpr (std::is_same_v<Kind, KubernetesDiscovery>) return MakeKubernetesSource(kind);
        if constexpr (std::is_same_v<Kind, SlurmDiscovery>) return MakeSlurmSource(kind);
        if constexpr (std::is_same_v<Kind, Ec2Discovery>) return MakeEc2Source(kind);
      },
      config);
}

Discovery::Discovery(std::string user, std::shared_ptr<const DiscoveryConfig> config,
                     Discovery* before)
    : user_(std::move(user)), config_(std::move(config)) {
  // The first check removes files that no longer exist.
  if (before != nullptr) files_ = std::move(before->files_);
  for (const HttpDiscovery& kind : config_->urls) AddSlow(kind, before);
  for (const DnsDiscovery& kind : config_->dns) {
    // Each name is a separate source, so that an unresolvable one does not delay the others.
    for (const std::string& name : kind.names) {
      DnsDiscovery one = kind;
      one.names = {name};
      AddSlow(std::move(one), before);
    }
  }
  for (const KubernetesDiscovery& kind : config_->kubernetes) AddSlow(kind, before);
  for (const SlurmDiscovery& kind : config_->slurm) AddSlow(kind, before);
  for (const Ec2Discovery& kind : config_->ec2) AddSlow(kind, before);
}

Discovery::~Discovery() {
  // The destructors of their futures wait for them.
  for (const SlowLookup& slow : slow_) slow.lookup.source->Cancel();
}

void Discovery::AddSlow(SourceConfig config, Discovery* before) {
  if (before != nullptr) {
    const auto known = std::ranges::find(before->slow_, config, &SlowLookup::config);
    if (known != before->slow_.end()) {
      slow_.push_back(std::move(*known));
      before->slow_.erase(known);
      return;
    }
  }
  SlowLookup slow;
  slow.lookup.source = MakeSource(config);
  slow.config = std::move(config);
  slow_.push_back(std::move(slow));
}

bool Discovery::Refresh(int64_t now_ms) {
  bool has_changed = std::exchange(is_fresh_, false);
  has_changed |= RefreshFiles();
  has_changed |= RefreshSlow(now_ms);
  return has_changed;
}

bool Discovery::RefreshFiles() {
  std::set<std::string> paths;
  for (const FileDiscovery& files : config_->files) {
    for (const std::string& pattern : files.patterns) {
      for (std::string& path : FilesOf(pattern)) paths.insert(std::move(path));
    }
  }
  bool has_changed = false;
  for (const std::string& path : paths) {
    Lookup& lookup = files_[path];
    if (lookup.source == nullptr) lookup.source = MakeFileSource(path);
    has_changed |= Take(lookup, lookup.source->Look());
  }
  has_changed |=
      std::erase_if(files_, [&](const auto& file) { return !paths.contains(file.first); }) > 0;
  return has_changed;
}

bool Discovery::RefreshSlow(int64_t now_ms) {
  auto wait_until = std::chrono::steady_clock::now();
  for (SlowLookup& slow : slow_) {
    if (slow.answer.valid() || now_ms < slow.due_ms) continue;
    slow.due_ms =
        now_ms +
        std::visit([](const auto& kind) { return kind.refresh_interval.count(); }, slow.config);
    slow.answer = std::async(std::launch::async,
                             [source = slow.lookup.source.get()] { return source->Look(); });
    wait_until = std::chrono::steady_clock::now() + kPatience;
  }
  bool has_changed = false;
  for (SlowLookup& slow : slow_) {
    if (!slow.answer.valid()) continue;
    if (slow.answer.wait_until(wait_until) != std::future_status::ready) continue;
    has_changed |= Take(slow.lookup, slow.answer.get());
  }
  return has_changed;
}

bool Discovery::Take(Lookup& lookup, Answer answer) {
  if (answer.ok()) {
    lookup.error.clear();
    if (!answer->has_value() || (*answer)->groups == lookup.found.groups) return false;
    lookup.found = **std::move(answer);
    return true;
  }
  ++failures_;
  if (lookup.error != Message(answer.status())) {
    lookup.error = Message(answer.status());
    Log(LogLevel::kWarn, "target discovery failed",
        {{"job", user_}, {"source", lookup.source->name()}, {"error", lookup.error}});
  }
  return false;
}

std::vector<TargetGroup> Discovery::groups() const {
  std::vector<TargetGroup> groups = config_->static_groups;
  const auto add = [&groups](const Lookup& lookup) {
    groups.insert(groups.end(), lookup.found.groups.begin(), lookup.found.groups.end());
  };
  for (const auto& [path, lookup] : files_) add(lookup);
  for (const SlowLookup& slow : slow_) add(slow.lookup);
  return groups;
}

uint64_t Discovery::TakeFailures() { return std::exchange(failures_, 0); }

}  // namespace lockstep::scrape

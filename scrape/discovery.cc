#include "scrape/discovery.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "base/redact_url.h"
#include "scrape/config/target_groups.h"

namespace lockstep::scrape {
namespace {

// For each byte of a text: what it becomes while it is read, when a name of two bytes is a node of
// a document, and what is kept of it.
constexpr uint64_t kReadBytesPerByte = 128;
constexpr uint64_t kKeptBytesPerByte = 24;
// Whoever stops the server waits for one of them.
constexpr milliseconds kUrlTimeout{5'000};

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  return std::move(content).str();
}

// The files that a pattern with at most one '*', in its last part, stands for.
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

Discovery::Discovery(std::string user, std::shared_ptr<const DiscoveryConfig> config)
    : user_(std::move(user)), config_(std::move(config)) {
  for (const HttpDiscovery& url : config_->urls) {
    urls_.push_back({&url, std::make_unique<HttpFetch>(), 0});
  }
}

bool Discovery::Refresh(int64_t now_ms) {
  bool has_changed = std::exchange(is_fresh_, false);
  has_changed |= RefreshFiles();
  has_changed |= RefreshUrls(now_ms);
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
  for (const std::string& path : paths) has_changed |= Take(path, ReadWhole(path));
  has_changed |= std::erase_if(sources_, [&](const auto& source) {
                   const bool is_file = source.first.starts_with('/');
                   return is_file && !paths.contains(source.first);
                 }) > 0;
  return has_changed;
}

bool Discovery::RefreshUrls(int64_t now_ms) {
  bool has_changed = false;
  for (Url& url : urls_) {
    if (now_ms < url.due_ms) continue;
    url.due_ms = now_ms + url.config->refresh_interval.count();
    FetchOptions options;
    options.url = url.config->url;
    options.headers = {
        "Accept: application/json",
        absl::StrFormat("X-Prometheus-Refresh-Interval-Seconds: %g",
                        static_cast<double>(url.config->refresh_interval.count()) / 1e3)};
    options.timeout = std::min(kUrlTimeout, url.config->refresh_interval);
    options.http = url.config->http;
    const absl::Status status = url.fetch->Get(options);
    has_changed |= Take(options.url, status.ok() ? absl::StatusOr<std::string>(url.fetch->body())
                                                 : absl::StatusOr<std::string>(status));
    url.fetch->DropBody();
  }
  return has_changed;
}

bool Discovery::Take(const std::string& name, const absl::StatusOr<std::string>& text) {
  Source& source = sources_[name];
  if (text.ok() && *text == source.text && source.error.empty()) return false;
  const absl::Status status = text.ok() ? Read(name, *text, source) : text.status();
  if (status.ok()) return true;
  ++failures_;
  if (source.error != Message(status)) {
    source.error = Message(status);
    Log(LogLevel::kWarn, "targets were not discovered",
        {{"job", user_}, {"source", RedactUrl(name)}, {"error", source.error}});
  }
  return false;
}

absl::Status Discovery::Read(const std::string& name, const std::string& text, Source& source) {
  MemoryCharge memory(MemoryAccount::kScrapes);
  LOCKSTEP_RETURN_IF_ERROR(memory.Add(kReadBytesPerByte * text.size()));
  LOCKSTEP_ASSIGN_OR_RETURN(source.groups, ParseTargetGroups(text, RedactUrl(name)));
  memory.Resize(kKeptBytesPerByte * text.size()).IgnoreError();
  source.error.clear();
  source.text = text;
  source.memory = std::move(memory);
  return absl::OkStatus();
}

std::vector<TargetGroup> Discovery::groups() const {
  std::vector<TargetGroup> groups = config_->static_groups;
  for (const auto& [name, source] : sources_) {
    groups.insert(groups.end(), source.groups.begin(), source.groups.end());
  }
  return groups;
}

uint64_t Discovery::TakeFailures() { return std::exchange(failures_, 0); }

}  // namespace lockstep::scrape

// Sources that return target groups as text: a file, and a URL.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "scrape/config/target_groups.h"
#include "scrape/discovery/meta_labels.h"
#include "scrape/discovery/sources.h"
#include "scrape/http_fetch.h"

namespace lockstep::scrape {
namespace {

// Memory per byte of text: the parsed document, in which a two-byte name is a node, and the result.
constexpr uint64_t kReadBytesPerByte = 128;
constexpr uint64_t kKeptBytesPerByte = 24;
constexpr milliseconds kUrlTimeout{5'000};

// Parses a text only if it has changed. All groups get `label` with the value `name`.
class TextReader {
 public:
  TextReader(std::string_view label, std::string name) : name_(std::move(name)) {
    LabelSetBuilder builder;
    builder.Set(label, name_);
    own_ = builder.Build();
  }

  const std::string& name() const { return name_; }

  absl::StatusOr<std::optional<FoundTargets>> Read(std::string text) {
    if (is_read_ && text == text_) return std::nullopt;
    FoundTargets found;
    LOCKSTEP_RETURN_IF_ERROR(found.memory.Add(kReadBytesPerByte * text.size()));
    LOCKSTEP_ASSIGN_OR_RETURN(found.groups, ParseTargetGroups(text, name_));
    // They are in the group, in a copy of it for the pool, and twice in the pool's target.
    constexpr uint64_t kCopies = 4;
    const uint64_t own_bytes = kCopies * own_.bytes().size() * found.groups.size();
    LOCKSTEP_RETURN_IF_ERROR(found.memory.Add(own_bytes));
    for (TargetGroup& group : found.groups) group.labels = Merged({&group.labels, &own_});
    found.memory.Resize(kKeptBytesPerByte * text.size() + own_bytes).IgnoreError();
    text_ = std::move(text);
    is_read_ = true;
    return found;
  }

 private:
  const std::string name_;
  LabelSet own_;
  std::string text_;
  bool is_read_ = false;
};

class FileSource : public TargetSource {
 public:
  explicit FileSource(std::string path)
      : path_(std::move(path)), reader_("__meta_filepath", path_) {}

  std::string name() const override { return reader_.name(); }

  absl::StatusOr<std::optional<FoundTargets>> Look() override {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream content;
    if (file) content << file.rdbuf();
    if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path_));
    return reader_.Read(std::move(content).str());
  }

 private:
  const std::string path_;
  TextReader reader_;
};

class HttpSource : public TargetSource {
 public:
  explicit HttpSource(HttpDiscovery config)
      : config_(std::move(config)), reader_("__meta_url", RedactUrl(config_.url)) {}

  std::string name() const override { return reader_.name(); }

  absl::StatusOr<std::optional<FoundTargets>> Look() override {
    FetchOptions options;
    options.url = config_.url;
    options.headers = {
        "Accept: application/json",
        absl::StrFormat("X-Prometheus-Refresh-Interval-Seconds: %g",
                        static_cast<double>(config_.refresh_interval.count()) / 1e3)};
    options.timeout = std::min(kUrlTimeout, config_.refresh_interval);
    options.http = config_.http;
    options.is_cancelled = &is_cancelled();
    const absl::Status status = fetch_.Send(options);
    if (!status.ok()) return status;
    auto found = reader_.Read(fetch_.body());
    fetch_.DropBody();
    return found;
  }

 private:
  const HttpDiscovery config_;
  HttpFetch fetch_;
  TextReader reader_;
};

}  // namespace

std::unique_ptr<TargetSource> MakeFileSource(std::string path) {
  return std::make_unique<FileSource>(std::move(path));
}

std::unique_ptr<TargetSource> MakeHttpSource(HttpDiscovery config) {
  return std::make_unique<HttpSource>(std::move(config));
}

}  // namespace lockstep::scrape

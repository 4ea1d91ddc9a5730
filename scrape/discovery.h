// Discovery: the target groups of one job or of some other use, looked up again and again: those of its configuration, of files that
// are read again when they change, of URLs. Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "scrape/config/scrape_config.h"
#include "scrape/http_fetch.h"

namespace lockstep::scrape {

class Discovery {
 public:
  // `user` is who looks, for the log.
  Discovery(std::string user, std::shared_ptr<const DiscoveryConfig> config);

  // Looks at all files, and at the URLs whose time has come; blocks. Whether groups() have changed. What cannot
  // be read or makes no sense stays as it was, and is logged when that begins.
  bool Refresh(int64_t now_ms);

  std::vector<TargetGroup> groups() const;
  // How many looks have failed since the last call.
  uint64_t TakeFailures();

 private:
  // A file or a URL.
  struct Source {
    std::string text;                              // as it was read last
    MemoryCharge memory{MemoryAccount::kScrapes};  // of the text and what it becomes
    std::string error;
    std::vector<TargetGroup> groups;
  };
  struct Url {
    const HttpDiscovery* config;
    std::unique_ptr<HttpFetch> fetch;
    int64_t due_ms = 0;
  };

  bool RefreshFiles();
  bool RefreshUrls(int64_t now_ms);
  bool Take(const std::string& name, const absl::StatusOr<std::string>& text);
  absl::Status Read(const std::string& name, const std::string& text, Source& source);

  const std::string user_;
  const std::shared_ptr<const DiscoveryConfig> config_;
  std::map<std::string, Source> sources_;  // by path or URL
  std::vector<Url> urls_;
  bool is_fresh_ = true;
  uint64_t failures_ = 0;
};

}  // namespace lockstep::scrape

// TargetSource: one place to look for targets, again and again: a file, a URL, names in DNS, the
// API server of a Kubernetes, a Slurm. Looks come one after another, from any thread; Cancel() is
// safe at any time.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/status.h"
#include "scrape/config/discovery_config.h"

namespace lockstep::scrape {

// What a look found, and the memory that it takes.
struct FoundTargets {
  std::vector<TargetGroup> groups;
  MemoryCharge memory{MemoryAccount::kScrapes};

  // Fails if there is no memory for it.
  absl::Status Add(TargetGroup group);
};

class TargetSource {
 public:
  TargetSource() = default;
  virtual ~TargetSource() = default;
  TargetSource(const TargetSource&) = delete;
  TargetSource& operator=(const TargetSource&) = delete;

  // Blocks, but for a bounded time. Nothing: the same as in the last look that succeeded.
  virtual absl::StatusOr<std::optional<FoundTargets>> Look() = 0;
  // For people, without secrets.
  virtual std::string name() const = 0;

  // A look that is under way fails soon.
  void Cancel() { is_cancelled_ = true; }

 protected:
  const std::atomic<bool>& is_cancelled() const { return is_cancelled_; }

 private:
  std::atomic<bool> is_cancelled_{false};
};

// With brackets around an IPv6 address.
std::string HostOfUrl(std::string_view host);
// "host:9400", with brackets around an IPv6 address.
std::string HostWithPort(std::string_view host, uint64_t port);

}  // namespace lockstep::scrape

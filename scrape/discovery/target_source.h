// TargetSource: one source of targets to look up repeatedly: a file, a URL, DNS names, a Kubernetes
// API server, a Slurm cluster, EC2. Lookups are sequential, from any thread; Cancel() is always
// safe.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "scrape/config/discovery_config.h"

namespace lockstep::scrape {

// The result of a lookup, and its memory.
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

  // Blocks for a bounded time. Nothing if unchanged since the last successful lookup.
  virtual absl::StatusOr<std::optional<FoundTargets>> Look() = 0;
  // For people, without secrets.
  virtual std::string name() const = 0;

  // Makes a lookup in progress fail soon.
  void Cancel() { is_cancelled_ = true; }

 protected:
  const std::atomic<bool>& is_cancelled() const { return is_cancelled_; }

 private:
  std::atomic<bool> is_cancelled_{false};
};

// Adds brackets around an IPv6 address.
std::string HostOfUrl(std::string_view host);
// "host:9400", with brackets around an IPv6 address.
std::string HostWithPort(std::string_view host, uint64_t port);

}  // namespace lockstep::scrape

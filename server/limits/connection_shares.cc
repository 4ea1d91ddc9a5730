#include "server/limits/connection_shares.h"

namespace lockstep::server {

void ConnectionShares::SetMaxOpen(size_t max_open) {
  const MutexLock lock(mutex_);
  ordinary_.max_open = max_open;
}

ConnectionShares::Opened ConnectionShares::Open(const std::string& network) {
  const MutexLock lock(mutex_);
  Opened opened = OpenIn(false, network);
  if (!opened.lease) opened = OpenIn(true, network);
  return opened;
}

ConnectionShares::Opened ConnectionShares::OpenIn(bool is_reserved, const std::string& network) {
  Pool& pool = PoolOf(is_reserved);
  const auto known = pool.networks.find(network);
  const size_t count = known == pool.networks.end() ? 0 : known->second.count;
  Opened opened;
  if (count >= pool.free()) {
    Network* const giver = GiverFor(pool, network);
    if (giver == nullptr) return opened;
    opened.to_close = TakeWaiting(pool, *giver);
  }
  const uint64_t id = next_id_++;
  const uint64_t since = now_++;
  Network& of_network = pool.networks[network];
  ++of_network.count;
  ++pool.count;
  of_network.waiting.emplace(since, id);
  connections_.emplace(id, Connection{network, is_reserved, since});
  opened.lease = Lease(this, id, is_reserved);
  return opened;
}

// The network that gives up a connection for a new one of `network`; null if there is none.
ConnectionShares::Network* ConnectionShares::GiverFor(Pool& pool, const std::string& network) {
  if (pool.closing >= MaxClosing(pool)) return nullptr;
  Network* giver = nullptr;
  if (const auto own = pool.networks.find(network);
      own != pool.networks.end() && !own->second.waiting.empty()) {
    giver = &own->second;
  }
  const size_t own_count = pool.networks.contains(network) ? pool.networks[network].count : 0;
  for (auto& [name, candidate] : pool.networks) {
    if (candidate.waiting.empty() || candidate.count <= own_count) continue;
    if (giver == nullptr || candidate.count > giver->count) giver = &candidate;
  }
  return giver;
}

uint64_t ConnectionShares::TakeWaiting(Pool& pool, Network& giver) {
  const auto longest = giver.waiting.begin();
  const uint64_t id = longest->second;
  giver.waiting.erase(longest);
  Connection& connection = connections_.at(id);
  connection.waits_since.reset();
  connection.is_closing = true;
  ++pool.closing;
  return id;
}

std::optional<uint64_t> ConnectionShares::TakeLongestWaiting() {
  const MutexLock lock(mutex_);
  Network* giver = nullptr;
  for (auto& [name, candidate] : ordinary_.networks) {
    if (candidate.waiting.empty()) continue;
    if (giver == nullptr || candidate.waiting.begin()->first < giver->waiting.begin()->first) {
      giver = &candidate;
    }
  }
  if (giver == nullptr) return std::nullopt;
  return TakeWaiting(ordinary_, *giver);
}

void ConnectionShares::StopWaiting(Connection& connection) {
  Pool& pool = PoolOf(connection.is_reserved);
  if (connection.waits_since.has_value()) {
    pool.networks[connection.network].waiting.erase(*connection.waits_since);
    connection.waits_since.reset();
  }
  if (std::exchange(connection.is_closing, false)) --pool.closing;
}

void ConnectionShares::SetWaiting(uint64_t id, bool waits) {
  const MutexLock lock(mutex_);
  Connection& connection = connections_.at(id);
  if (!waits) return StopWaiting(connection);
  if (connection.waits_since.has_value() || connection.is_closing) return;
  connection.waits_since = now_++;
  PoolOf(connection.is_reserved)
      .networks[connection.network]
      .waiting.emplace(*connection.waits_since, id);
}

void ConnectionShares::Remove(uint64_t id) {
  const MutexLock lock(mutex_);
  const auto found = connections_.find(id);
  Connection& connection = found->second;
  StopWaiting(connection);
  Pool& pool = PoolOf(connection.is_reserved);
  --pool.count;
  const auto network = pool.networks.find(connection.network);
  if (--network->second.count == 0) pool.networks.erase(network);
  connections_.erase(found);
}

bool ConnectionShares::is_closing_many() const {
  const MutexLock lock(mutex_);
  return 2 * ordinary_.closing > MaxClosing(ordinary_) ||
         2 * reserved_.closing > MaxClosing(reserved_);
}

size_t ConnectionShares::size() const {
  const MutexLock lock(mutex_);
  return connections_.size();
}

}  // namespace lockstep::server

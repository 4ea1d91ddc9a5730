// ConnectionShares: limits the open connections and shares them fairly among client networks.
//
// A network may open as many connections as are still free: a single network gets half of them, two
// get a third each. A network over its share still gets a new connection if one that counts for it,
// or for a larger network, is waiting for a request: the one that has waited longest is closed. A
// few more connections are reserved for requests that must always be answered (IsProbe() in
// server/request_gate.h), and shared in the same way. Safe from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "base/string_map.h"

namespace lockstep::server {

class ConnectionShares {
 public:
  // Counts one open connection until it is destroyed. Movable; a default-constructed lease counts
  // nothing. Must not outlive the shares.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept { Swap(other); }
    Lease& operator=(Lease&& other) noexcept {
      Lease(std::move(other)).Swap(*this);
      return *this;
    }
    ~Lease() {
      if (shares_ != nullptr) shares_->Remove(id_);
    }

    explicit operator bool() const { return shares_ != nullptr; }
    uint64_t id() const { return id_; }
    bool is_reserved() const { return is_reserved_; }
    // A new connection starts out waiting. It may be closed while it waits, but not while it works.
    // Idempotent.
    void Wait() {
      if (shares_ != nullptr) shares_->SetWaiting(id_, true);
    }
    void Work() {
      if (shares_ != nullptr) shares_->SetWaiting(id_, false);
    }

   private:
    friend class ConnectionShares;
    Lease(ConnectionShares* shares, uint64_t id, bool is_reserved)
        : shares_(shares), id_(id), is_reserved_(is_reserved) {}
    void Swap(Lease& other) noexcept {
      std::swap(shares_, other.shares_);
      std::swap(id_, other.id_);
      std::swap(is_reserved_, other.is_reserved_);
    }

    ConnectionShares* shares_ = nullptr;
    uint64_t id_ = 0;
    bool is_reserved_ = false;
  };

  struct Opened {
    Lease lease;                         // empty: the connection is rejected
    std::optional<uint64_t> to_close{};  // the lease of a connection to close in exchange
  };

  ConnectionShares(size_t max_open, size_t max_reserved)
      : ordinary_{max_open}, reserved_{max_reserved} {}

  // Applies to new connections; open ones beyond the limit stay.
  void SetMaxOpen(size_t max_open);

  // Opens a new connection, which starts out waiting.
  Opened Open(const std::string& network);
  // The connection that has waited longest, to be closed because there are no file handles left.
  std::optional<uint64_t> TakeLongestWaiting();

  // Whether so many connections are closing that new ones should wait: soon they would be rejected.
  bool is_closing_many() const;
  size_t size() const;

 private:
  struct Network {
    size_t count = 0;
    std::map<uint64_t, uint64_t>
        waiting;  // by the time the wait began, with the lease; without those being closed
  };
  struct Pool {
    size_t max_open = 0;
    size_t count = 0;
    size_t closing = 0;  // waiting connections that are being closed
    StringMap<Network> networks{};

    size_t free() const { return max_open + closing - std::min(max_open + closing, count); }
  };
  struct Connection {
    std::string network;
    bool is_reserved = false;
    std::optional<uint64_t> waits_since{};
    bool is_closing = false;
  };

  // Connections being closed still hold their handles, so their number is limited.
  static size_t MaxClosing(const Pool& pool) { return pool.max_open / 4 + 1; }
  Pool& PoolOf(bool is_reserved) LOCKSTEP_REQUIRES(mutex_) {
    return is_reserved ? reserved_ : ordinary_;
  }
  Opened OpenIn(bool is_reserved, const std::string& network) LOCKSTEP_REQUIRES(mutex_);
  Network* GiverFor(Pool& pool, const std::string& network) LOCKSTEP_REQUIRES(mutex_);
  uint64_t TakeWaiting(Pool& pool, Network& giver) LOCKSTEP_REQUIRES(mutex_);
  void StopWaiting(Connection& connection) LOCKSTEP_REQUIRES(mutex_);
  void SetWaiting(uint64_t id, bool waits);
  void Remove(uint64_t id);

  mutable Mutex mutex_;
  uint64_t next_id_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  uint64_t now_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // counts the waits that began
  Pool ordinary_ LOCKSTEP_GUARDED_BY(mutex_);
  Pool reserved_ LOCKSTEP_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, Connection> connections_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::server

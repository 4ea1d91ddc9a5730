// Listener: a listening socket, and the threads that run its connections.
//
// Accepts connections until Stop(). When the process has no file handles left, it pauses and
// retries. All methods are safe from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "server/auth/web_config.h"
#include "server/socket/transport.h"

namespace lockstep::server {

class IoLoop;
class TlsContext;

struct ListenerOptions {
  std::string host = "127.0.0.1";  // an IP address
  uint16_t port = 0;               // 0: any free one
  int io_threads = 2;              // connections are spread over them
  std::string protocol;            // required of TLS clients (ALPN); "": none
  std::string refusal;             // written to a plain connection that is rejected
};

class Listener {
 public:
  // Called always on the same listener thread.
  struct Events {
    // Whether a connection from that address may be opened; if so, open() is called immediately.
    std::function<bool(const std::string& address)> admit;
    std::function<void(std::unique_ptr<Transport>)> open;
    // Whether to leave new connections in the kernel's queue for a moment. May be empty.
    std::function<bool()> should_wait{};
    // No connection can be accepted for lack of file handles: some should be closed. May be empty.
    std::function<void()> out_of_handles{};
  };

  // Binds the address without accepting yet. `tls` is null for plain TCP.
  static absl::StatusOr<std::unique_ptr<Listener>> Bind(ListenerOptions options,
                                                        const TlsServerConfig* tls);
  // Stops, and ends the threads once the last connection is closed.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Starts accepting. Call it once.
  void Start(Events events);
  // Closes the socket but not the connections. Idempotent.
  void Stop();

  // Uses these certificates for new connections. Fails, and changes nothing, if the files cannot be
  // used, or if it would turn TLS on or off.
  absl::Status SetTls(const TlsServerConfig* tls);

  // "127.0.0.1:9009", with the actual port.
  const std::string& address() const { return address_; }
  uint64_t accepted_connections() const { return accepted_connections_; }
  uint64_t refused_connections() const { return refused_connections_; }  // because of the limit

 private:
  struct Acceptor;

  explicit Listener(ListenerOptions options);
  absl::Status Open(const TlsServerConfig* tls);
  std::shared_ptr<TlsContext> CurrentTls() const;
  void Accept();
  void AcceptAfter(std::chrono::milliseconds pause);
  void PauseAccepting(const std::error_code& error);

  const ListenerOptions options_;
  Events events_;
  bool is_tls_ = false;
  mutable Mutex mutex_;
  std::shared_ptr<TlsContext> tls_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<IoLoop>> loops_;
  std::unique_ptr<Acceptor> acceptor_;  // after Start(), only used by the first loop's thread
  std::atomic<bool> stopped_{false};
  std::atomic<uint64_t> accepted_connections_{0};
  std::atomic<uint64_t> refused_connections_{0};
  std::string address_;
};

}  // namespace lockstep::server

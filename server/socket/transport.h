// Transport: the byte stream of one connection, plain or TLS, with one timer.
//
// Every connection belongs to one loop thread: all methods are called there, and all callbacks run
// there, never inside the call that took them. Only Post() is safe from any thread. At most one
// read and one write may be pending at a time. Callbacks keep alive what they need; Close() ends
// pending operations, whose callbacks then get an error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/functional/any_invocable.h"
#include "server/auth/peer.h"

namespace lockstep::server {

class Transport {
 public:
  using Task = absl::AnyInvocable<void()>;
  using IoDone = absl::AnyInvocable<void(std::error_code, size_t)>;

  virtual ~Transport() = default;

  // Call this first, once.
  virtual void Handshake(IoDone done) = 0;
  // `into` must remain valid until `done` runs. The end of the stream is an error.
  virtual void ReadSome(std::span<char> into, IoDone done) = 0;
  // Writes a part of `first`, then `second`; both must remain valid until `done` runs.
  virtual void WriteSome(std::string_view first, std::string_view second, IoDone done) = 0;
  // The number of written bytes that have not reached the other side.
  virtual uint64_t UnsentBytes() const = 0;
  // Tells the other side that nothing more will be written, if the protocol supports that.
  virtual void FinishWriting() = 0;
  virtual void Close() = 0;

  // Runs `expired` once after `timeout`, unless StartTimer or StopTimer is called first.
  virtual void StartTimer(std::chrono::milliseconds timeout, Task expired) = 0;
  virtual void StopTimer() = 0;

  virtual void Post(Task task) = 0;

  // The certificate is available after the handshake.
  virtual const Peer& peer() const = 0;
};

}  // namespace lockstep::server

// Http2Session: the server side of one HTTP/2 connection: converts bytes to calls and responses to
// bytes. The only code that uses nghttp2.
//
// It has no socket and no clock. A flood ends the session: the client gets ENHANCE_YOUR_CALM, and
// everything received after that is ignored. Not thread-safe.
//
// Source: RFC 9113; RFC 7541 for headers.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"
#include "server/otlp_grpc/flood_guard.h"
#include "server/otlp_grpc/grpc_limits.h"

struct nghttp2_session;

namespace lockstep::server {

// The request fields that calls use; "" if missing.
struct CallHead {
  std::string method;
  std::string path;
  std::string content_type;
  std::string authorization;
  std::string message_encoding;  // grpc-encoding
  std::string tenants;           // x-scope-orgid
  bool is_too_large = false;     // some fields were dropped
};

class Http2Session {
 public:
  using Time = FloodGuard::Time;

  // Called from within Receive() and TakeOutput(); may respond at once, but must not call these
  // two.
  class Events {
   public:
    virtual ~Events() = default;
    virtual void OnHead(int32_t stream, CallHead head) = 0;
    virtual void OnData(int32_t stream, std::string_view bytes) = 0;
    virtual void OnRequestEnd(int32_t stream) = 0;
    // The stream was answered, or reset by either side; there are no further events.
    virtual void OnClosed(int32_t stream) = 0;
  };

  // Both references must outlive the session.
  Http2Session(const Http2Limits& limits, Events& events, Time now);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  void Receive(std::string_view bytes, Time now);
  // Appends pending output, up to about `max_bytes`.
  void TakeOutput(std::string& out, size_t max_bytes);
  // Whether further input is ignored and the pending output is the last.
  bool is_over() const;
  // Whether the reason is a flood or a protocol error.
  bool is_broken() const;

  // Reports that this much of a stream's data was processed, so the client may send as much again.
  void Consume(int32_t stream, size_t bytes);

  // Responds with header fields, a body and trailers.
  void Answer(int32_t stream, std::vector<api::Header> fields, std::string body,
              std::vector<api::Header> trailers);
  // Responds with header fields only. Discards the rest of the client's request.
  void Refuse(int32_t stream, const std::vector<api::Header>& fields);
  // Ends a stream whose client does not receive its response.
  void Reset(int32_t stream);
  // Accepts no more calls; those in flight continue.
  void GoAway();

 private:
  class Callbacks;
  struct Stream;
  struct State;

  const std::unique_ptr<State> state_;
};

}  // namespace lockstep::server

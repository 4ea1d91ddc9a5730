// Http2Session: the server's side of HTTP/2 on one connection: bytes in, calls out, and the
// reverse. The only code that knows nghttp2.
//
// It has no socket and no clock. Floods end it: the client is told to calm down
// (ENHANCE_YOUR_CALM), and nothing that comes afterwards counts. Not thread-safe.
//
// Source: RFC 9113; RFC 7541 for headers.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "server/otlp_grpc/flood_guard.h"
#include "server/otlp_grpc/grpc_limits.h"

struct nghttp2_session;

namespace lockstep::server {

// The fields of a request that calls look at; "" where there is none.
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

  // Told from within Receive() and TakeOutput(); may answer at once, but not call these two.
  class Events {
   public:
    virtual ~Events() = default;
    virtual void OnHead(int32_t stream, CallHead head) = 0;
    virtual void OnData(int32_t stream, std::string_view bytes) = 0;
    virtual void OnRequestEnd(int32_t stream) = 0;
    // Answered, or reset by either side: nothing more happens to it.
    virtual void OnClosed(int32_t stream) = 0;
  };

  // Both references outlive the session.
  Http2Session(const Http2Limits& limits, Events& events, Time now);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  void Receive(std::string_view bytes, Time now);
  // Appends what there is to send, up to about `max_bytes`.
  void TakeOutput(std::string& out, size_t max_bytes);
  // Nothing that comes counts any more, and what there is to send is the last.
  bool is_over() const;
  // Whether a flood or a breach of the protocol is why.
  bool is_broken() const;

  // So much of a stream's data has been taken: the client may send as much again.
  void Consume(int32_t stream, size_t bytes);

  // Answers with fields, a body and fields behind it.
  void Answer(int32_t stream, std::vector<api::Header> fields, std::string body,
              std::vector<api::Header> trailers);
  // Answers with fields alone. What the client still sends of its request is not wanted.
  void Refuse(int32_t stream, const std::vector<api::Header>& fields);
  // Ends a stream of which the client takes no answer.
  void Reset(int32_t stream);
  // No further call is taken; those under way go on.
  void GoAway();

 private:
  class Callbacks;
  struct Stream;
  struct State;

  const std::unique_ptr<State> state_;
};

}  // namespace lockstep::server

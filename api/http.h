// HTTP meaning without HTTP machinery: what a handler sees of a request and says in a response.
//
// The server module turns sockets into Request and Response into bytes (framing, compression, TLS,
// HEAD, CORS and auth are its business); handlers know none of that.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "api/access.h"
#include "base/client_id.h"
#include "base/mutex.h"

namespace lockstep::api {

// Fires once when nobody waits for the answer any more: the client hung up, or the server is
// closing. Safe from any thread. Shared by the connection and the handler's work.
class CancelSignal {
 public:
  // Runs the subscribed callback, if any. Later Subscribe() calls run theirs at once. Idempotent.
  void Fire();
  bool fired() const;
  // At most one callback, quick and non-blocking. It must stay valid until Unsubscribe() returns;
  // Unsubscribe() waits for a callback that is running.
  void Subscribe(std::function<void()> callback);
  void Unsubscribe();

 private:
  mutable Mutex mutex_;
  bool fired_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::function<void()> callback_ LOCKSTEP_GUARDED_BY(mutex_);
};

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method;  // "GET", "POST", ...; HEAD arrives as GET
  std::string target;  // path and query as sent: "/api/v1/query?query=up"
  std::vector<Header> headers;
  std::string body;            // de-chunked; Content-Encoding is left to the handler
  std::string remote_address;  // with the port
  std::string user;            // who was let in by name, "" when nobody has to say who they are
  Grant grant{};               // what its credential may do
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();  // whole
  std::shared_ptr<CancelSignal> cancel;                                              // never null

  // The value of the first header of that name, any case; "" when there is none.
  std::string_view header(std::string_view name) const;
  // `target` up to '?', not percent-decoded.
  std::string_view path() const;
};

// Whom limits count a request for.
ClientId ClientOf(const Request& request);

// What follows the first part of a body that is made while it is sent. Its calls come one after the
// other, from any thread; it may outlive the handler that gave it out, not the API.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // Calls `ready` once there is a next part to make, from any thread, at once if it need not be
  // waited for. Next() is called after that, once.
  virtual void Await(std::function<void()> ready) { ready(); }
  // Appends the next part, some hundred kilobytes, and says whether others follow. Not called again
  // after the last one or an error, which cuts the connection: the status was sent by then.
  virtual absl::StatusOr<bool> Next(std::string& out) = 0;
};

// The type of events as they happen: each reaches the client at once.
inline constexpr std::string_view kEventStream = "text/event-stream";

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<Header> headers;  // besides those of the type and of the length
  std::string body;
  std::unique_ptr<BodySource> rest{};  // null: the body is whole
  // Taken among bounded many until the body was sent, or will not be: to be let go then.
  std::shared_ptr<const void> place{};
};

// Called exactly once, from any thread.
using Respond = absl::AnyInvocable<void(Response)>;

// Safe from any thread. May answer before it returns (on the calling thread) or later.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(Request request, Respond respond) = 0;
  // What a request for that path asks of who sends it.
  virtual Role RoleFor(std::string_view path) const = 0;
};

}  // namespace lockstep::api

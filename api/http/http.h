// The semantics of HTTP without its mechanics: requests and responses as handlers see them.
//
// The server module turns sockets into Requests and Responses into bytes. It handles framing,
// compression, TLS, HEAD, CORS and authentication, which are invisible to handlers.
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
#include "api/http/access.h"
#include "base/budget/client_id.h"
#include "base/mutex.h"

namespace lockstep::api {

// Fires once when the response is no longer needed, because the client disconnected or the server
// is shutting down. Safe from any thread. Shared by the connection and the handler's work.
class CancelSignal {
 public:
  // Runs the subscribed callback, if any. Callbacks subscribed later run at once. Idempotent.
  void Fire();
  bool fired() const;
  // Allows at most one callback, which must be quick and non-blocking. It must remain valid until
  // Unsubscribe() returns; Unsubscribe() waits for a running callback.
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
  std::string body;            // de-chunked; the handler decodes Content-Encoding
  std::string remote_address;  // including the port
  std::string user;            // the authenticated user; "" when authentication is off
  Grant grant{};               // what the credential permits
  std::chrono::steady_clock::time_point arrived =
      std::chrono::steady_clock::now();  // when it was complete
  std::shared_ptr<CancelSignal> cancel;  // never null

  // The value of the first header of that name, ignoring case; "" if there is none.
  std::string_view header(std::string_view name) const;
  // `target` up to '?', not percent-decoded.
  std::string_view path() const;
};

// The client whose limits a request counts against.
ClientId ClientOf(const Request& request);

// The rest of a body that is generated while it is sent. Calls are sequential, from any thread; it
// may outlive the handler that returned it, but not the API.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // Calls `ready` from any thread when the next part can be generated, immediately if there is
  // nothing to wait for. Next() is then called once.
  virtual void Await(std::function<void()> ready) { ready(); }
  // Appends the next part, a few hundred kilobytes, and returns whether more follow. Not called
  // again after the last part or an error. An error closes the connection, since the status has
  // already been sent.
  virtual absl::StatusOr<bool> Next(std::string& out) = 0;
};

// The content type of event streams: each event reaches the client at once.
inline constexpr std::string_view kEventStream = "text/event-stream";

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<Header> headers;  // besides Content-Type and Content-Length
  std::string body;
  std::unique_ptr<BodySource> rest{};  // null: the body is complete
  // A place in a limited pool, held until the body is sent or abandoned.
  std::shared_ptr<const void> place{};
};

// Called exactly once, from any thread.
using Respond = absl::AnyInvocable<void(Response)>;

// Safe from any thread. May respond before it returns (on the calling thread) or later.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(Request request, Respond respond) = 0;
  // Whether Handle() returns within microseconds, because the work for this request waits its turn
  // elsewhere. Then it may be called by a thread that serves connections.
  virtual bool OnlyQueues(const Request& /*request*/) const { return false; }
  // The role that a request with that method for that path requires.
  virtual Role RoleFor(std::string_view method, std::string_view path) const = 0;
};

}  // namespace lockstep::api

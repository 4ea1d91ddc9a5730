// RequestGate: everything between a connection and its handler, in both directions: credentials,
// CORS, workers, compression, and the headers of every response.
//
// All methods are safe from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/http.h"
#include "base/mutex.h"
#include "server/auth/audit_log.h"
#include "server/auth/authenticator.h"
#include "server/http/browser_guard.h"
#include "server/http/compression.h"
#include "server/http/cors.h"
#include "server/http/request_parser.h"
#include "server/limits/worker_pool.h"
#include "server/metrics/server_stats.h"

namespace lockstep::server {

// Whether the path is for monitoring: connections and a worker are reserved for these.
inline bool IsProbe(std::string_view path) {
  return path == "/-/healthy" || path == "/health" || path == "/-/ready" || path == "/metrics";
}

// Whether a request is accepted, and the response if not.
struct Admission {
  bool granted = true;
  api::Response refusal;
  std::shared_ptr<const api::Principal> who{};  // set if accepted
};

// What the response to a request depends on besides its handler.
struct AnswerTerms {
  std::string origin;
  ContentCoding coding = ContentCoding::kIdentity;
  bool head_only = false;
  bool takes_chunks = true;
};

struct RequestGateOptions {
  CorsPolicy cors;
  BrowserGuardOptions browsers{};
  AuditLog* audit = nullptr;           // must outlive the gate; null: no audit log
  std::vector<api::Header> headers{};  // added to every response; initial value for SetHeaders()
};

struct RequestWorkers {
  WorkerPool& requests;
  WorkerPool& probes;  // only for monitoring requests (IsProbe())
  WorkerPool& parts;   // for long responses, so that they do not delay writes
};

class RequestGate {
 public:
  // The references must outlive the gate.
  RequestGate(RequestGateOptions options, Authenticator& authenticator, RequestWorkers workers,
              api::Handler& handler, HttpCounters& counters);
  // Waits for requests in flight.
  ~RequestGate();

  static AnswerTerms TermsOf(const RequestHead& head);

  // Decides on the header alone: at once, or by calling `later` from another thread.
  std::optional<Admission> Admit(const RequestHead& head, const Peer& peer,
                                 std::function<void(Admission)> later);

  // Responds once, from any thread, possibly before Serve() returns. The response is ready to be
  // sent.
  void Serve(api::Request request, AnswerTerms terms, api::Respond respond);

  // Generates the next part of a response on another thread, and calls `done` there.
  using PartDone = absl::AnyInvocable<void(absl::StatusOr<bool> has_more, std::string part)>;
  void MakePart(std::shared_ptr<api::BodySource> rest, PartDone done);

  // Adds the headers of every response to one that does not come from the handler.
  api::Response Finish(api::Response response, const AnswerTerms& terms) const;

  // Applies to subsequent responses.
  void SetHeaders(std::vector<api::Header> headers);

  uint64_t running_requests() const;

 private:
  class Answer;
  friend class Answer;

  // What is known about a request before it is admitted.
  struct RequestInfo {
    api::Role role = api::Role::kAdmin;
    std::optional<AuditEntry> entry{};
    std::string tenants{};  // as in the header
  };

  RequestInfo InfoOf(const RequestHead& head, const Peer& peer) const;
  Admission AdmissionOf(AuthAnswer answer, const RequestInfo& info) const;
  Admission Refused(const RequestInfo& info, const api::Principal& who,
                    api::Response refusal) const;
  // The audit entry of a request; nullopt if it is not logged.
  std::optional<AuditEntry> EntryOf(const api::Request& request) const;
  void OneAnswered();

  const CorsPolicy cors_;
  const BrowserGuard guard_;
  AuditLog* const audit_;
  Authenticator& authenticator_;
  const RequestWorkers workers_;
  api::Handler& handler_;
  HttpCounters& counters_;

  mutable Mutex mutex_;
  std::vector<api::Header> headers_ LOCKSTEP_GUARDED_BY(mutex_);
  CondVar all_answered_;
  uint64_t running_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

// A plain-text response for people: `text` and a newline.
api::Response ErrorPage(int status, std::string_view text);
// A 503 with Retry-After.
api::Response OverloadPage(std::string_view text);

}  // namespace lockstep::server

// RequestGate: what happens to a request between its connection and its handler, and to the answer
// on its way back: credentials, CORS, a worker, compression, the headers that every answer carries.
//
// All methods are safe from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/http.h"
#include "base/mutex.h"
#include "server/audit_log.h"
#include "server/authenticator.h"
#include "server/browser_guard.h"
#include "server/compression.h"
#include "server/cors.h"
#include "server/http_stats.h"
#include "server/request_parser.h"
#include "server/worker_pool.h"

namespace lockstep::server {

// Whether a request may go on, and what it is told if not.
struct Admission {
  bool granted = true;
  api::Response refusal;
  std::shared_ptr<const api::Principal> who{};  // of what is granted
};

// What the answer to a request depends on besides its handler.
struct AnswerTerms {
  std::string origin;
  ContentCoding coding = ContentCoding::kIdentity;
  bool head_only = false;
  bool takes_chunks = true;
};

struct RequestGateOptions {
  CorsPolicy cors;
  BrowserGuardOptions browsers{};
  AuditLog* audit = nullptr;           // outlives the gate; null: none is kept
  std::vector<api::Header> headers{};  // added to every answer; until SetHeaders()
};

struct RequestWorkers {
  WorkerPool& requests;
  WorkerPool& probes;  // of those alone that watch the server (server/probes.h)
  WorkerPool& parts;   // of long answers, so that they hold up no write
};

class RequestGate {
 public:
  // The references outlive the gate.
  RequestGate(RequestGateOptions options, Authenticator& authenticator, RequestWorkers workers,
              api::Handler& handler, HttpCounters& counters);
  // Waits for the requests that are being handled.
  ~RequestGate();

  static AnswerTerms TermsOf(const RequestHead& head);

  // Decides on the head alone: at once, or by calling `later` from another thread.
  std::optional<Admission> Admit(const RequestHead& head, const Peer& peer,
                                 std::function<void(Admission)> later);

  // Answers once, from any thread, also before Serve() returns. The answer is ready to be sent.
  void Serve(api::Request request, AnswerTerms terms, api::Respond respond);

  // Makes the next part of an answer on another thread. `done` is called there.
  using PartDone = absl::AnyInvocable<void(absl::StatusOr<bool> has_more, std::string part)>;
  void MakePart(std::shared_ptr<api::BodySource> rest, PartDone done);

  // Gives a response that no handler made the headers that every answer carries.
  api::Response Finish(api::Response response, const AnswerTerms& terms) const;

  // For answers from here on.
  void SetHeaders(std::vector<api::Header> headers);

  uint64_t running_requests() const;

 private:
  class Answer;
  friend class Answer;

  // What a request is about, as long as it is not known whether it may.
  struct Asked {
    api::Role role = api::Role::kAdmin;
    std::optional<AuditEntry> entry{};
    std::string tenants{};  // as the header names them
  };

  Asked AskedOf(const RequestHead& head, const Peer& peer) const;
  Admission AdmissionOf(AuthAnswer answer, const Asked& asked) const;
  Admission Refused(const Asked& asked, const api::Principal& who, api::Response refusal) const;
  // Of a request that is handled; nothing if it is not to be noted.
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

// A plain-text answer for people: `text` and a line end.
api::Response ErrorPage(int status, std::string_view text);
// A 503 that says when to come back.
api::Response OverloadPage(std::string_view text);

}  // namespace lockstep::server

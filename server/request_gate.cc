#include "server/request_gate.h"

#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/form.h"
#include "api/http/tenant_access.h"

namespace lockstep::server {
namespace {

// Below this size a response fits into a packet or two uncompressed.
constexpr size_t kMinCompressedBytes = 1 << 10;
// Keeps well below the range of zlib's 32-bit lengths.
constexpr size_t kMaxCompressedBytes = 1 << 30;
constexpr const char* kRetryAfterSeconds = "5";
constexpr const char* kContentTypeOptions = "X-Content-Type-Options";

// A body that is compressed while it is generated.
class CompressedBody final : public api::BodySource {
 public:
  CompressedBody(ContentCoding coding, std::unique_ptr<api::BodySource> plain)
      : compressor_(coding), plain_(std::move(plain)) {}

  // Compresses `first`, which precedes the plain body; returns the output so far.
  std::string Begin(std::string_view first) {
    std::string out;
    compressor_.Add(first, false, out);
    return out;
  }

  absl::StatusOr<bool> Next(std::string& out) override {
    const size_t size = out.size();
    bool has_more = true;
    // Continue while the compressor has not produced any output.
    while (has_more && out.size() == size) {
      part_.clear();
      LOCKSTEP_ASSIGN_OR_RETURN(has_more, plain_->Next(part_));
      compressor_.Add(part_, !has_more, out);
    }
    return has_more;
  }

 private:
  Compressor compressor_;
  const std::unique_ptr<api::BodySource> plain_;
  std::string part_;
};

bool HasHeader(const api::Response& response, std::string_view name) {
  for (const api::Header& header : response.headers) {
    if (header.name == name) return true;
  }
  return false;
}

// A request to generate the next part.
struct PartRequest {
  std::shared_ptr<api::BodySource> rest;
  RequestGate::PartDone done;
};

void CompressBody(api::Response& response, ContentCoding coding) {
  const bool is_small = response.rest == nullptr && response.body.size() < kMinCompressedBytes;
  if (is_small || HasHeader(response, "Content-Encoding")) return;
  // A compressor would hold back events.
  if (response.content_type == api::kEventStream) return;
  response.headers.push_back({"Vary", "Accept-Encoding"});
  if (coding == ContentCoding::kIdentity || response.body.size() > kMaxCompressedBytes) return;
  if (response.rest != nullptr) {
    auto compressed = std::make_unique<CompressedBody>(coding, std::move(response.rest));
    response.body = compressed->Begin(response.body);
    response.rest = std::move(compressed);
  } else {
    response.body = Compress(response.body, coding);
  }
  response.headers.push_back({"Content-Encoding", std::string(Name(coding))});
}

}  // namespace

// The single response to a request. If a handler drops it without responding, the client gets an
// error.
class RequestGate::Answer {
 public:
  Answer(RequestGate& gate, AnswerTerms terms, api::Respond respond,
         std::optional<AuditEntry> entry)
      : gate_(gate),
        terms_(std::move(terms)),
        respond_(std::move(respond)),
        entry_(std::move(entry)) {}
  ~Answer() {
    if (!respond_) return;
    if (is_handled_) {
      Send(ErrorPage(500, "The request was dropped without an answer."));
      return;
    }
    gate_.counters_.overload_refusals.fetch_add(1, std::memory_order_relaxed);
    Send(
        OverloadPage("All workers are busy, and this client's queue is full or its request waited "
                     "too long; try again later."));
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  void OnHandled() { is_handled_ = true; }

  void Send(api::Response response) {
    api::Respond respond = std::exchange(respond_, nullptr);
    if (entry_.has_value()) {
      entry_->status = response.status;
      gate_.audit_->Add(*entry_);
    }
    respond(gate_.Finish(std::move(response), terms_));
    gate_.OneAnswered();
  }

 private:
  RequestGate& gate_;
  AnswerTerms terms_;
  api::Respond respond_;
  std::optional<AuditEntry> entry_;
  bool is_handled_ = false;
};

RequestGate::RequestGate(RequestGateOptions options, Authenticator& authenticator,
                         RequestWorkers workers, api::Handler& handler, HttpCounters& counters)
    : cors_(options.cors),
      guard_(options.browsers, std::move(options.cors)),
      audit_(options.audit),
      authenticator_(authenticator),
      workers_(workers),
      handler_(handler),
      counters_(counters),
      headers_(std::move(options.headers)) {}

RequestGate::~RequestGate() {
  MutexLock lock(mutex_);
  while (running_ > 0) all_answered_.Wait(mutex_);
}

AnswerTerms RequestGate::TermsOf(const RequestHead& head) {
  return {std::string(head.header("Origin")), ChooseCoding(head.header("Accept-Encoding")),
          head.method == "HEAD", head.takes_chunks};
}

RequestGate::RequestInfo RequestGate::InfoOf(const RequestHead& head, const Peer& peer) const {
  const std::string_view path = head.path();
  RequestInfo info{handler_.RoleFor(head.method, path)};
  if (audit_ == nullptr) return info;
  info.entry = {"", peer.address, head.method, std::string(path)};
  info.tenants = head.header(api::kTenantHeader);
  return info;
}

namespace {

// Datadog clients send their token in a separate header. To validate it, their agent sends it in
// the URL instead, where no other path takes one.
std::string DatadogKey(const RequestHead& head) {
  const std::string_view key = head.header("DD-API-KEY");
  if (!key.empty() || head.path() != "/datadog/api/v1/validate") return std::string(key);
  api::Request request;
  request.target = head.target;
  return std::string(api::Form::Of(request).Get("api_key"));
}

std::string CredentialOf(const RequestHead& head) {
  const std::string_view authorization = head.header("Authorization");
  if (!authorization.empty()) return std::string(authorization);
  const std::string key = DatadogKey(head);
  return key.empty() ? "" : absl::StrFormat("Bearer %s", key);
}

}  // namespace

std::optional<Admission> RequestGate::Admit(const RequestHead& head, const Peer& peer,
                                            std::function<void(Admission)> later) {
  RequestInfo info = InfoOf(head, peer);
  if (const std::optional<std::string> why = guard_.WhyNot(head, info.role)) {
    return Refused(info, {}, ErrorPage(403, *why));
  }
  if (info.role == api::Role::kNone && authenticator_.has_roles()) {
    return Admission{true, {}, authenticator_.Nobody()};
  }
  std::optional<AuthAnswer> answer = authenticator_.Check(
      CredentialOf(head), peer, [this, info, later = std::move(later)](AuthAnswer late_answer) {
        later(AdmissionOf(std::move(late_answer), info));
      });
  if (!answer) return std::nullopt;
  return AdmissionOf(*std::move(answer), info);
}

Admission RequestGate::AdmissionOf(AuthAnswer answer, const RequestInfo& info) const {
  if (answer.verdict == AuthVerdict::kOverloaded) {
    counters_.overload_refusals.fetch_add(1, std::memory_order_relaxed);
    return {false, OverloadPage("Too many password checks are queued; try again later.")};
  }
  if (answer.verdict == AuthVerdict::kDenied) {
    api::Response page = ErrorPage(401, "Unauthorized");
    page.headers.push_back({"WWW-Authenticate", authenticator_.has_users() ? "Basic" : "Bearer"});
    return Refused(info, {}, std::move(page));
  }
  if (answer.who->grant.roles.Allows(info.role)) return {true, {}, std::move(answer.who)};
  const std::string& name = answer.who->name;
  return Refused(
      info, *answer.who,
      ErrorPage(403, absl::StrFormat("Forbidden: \"%s\" does not have the role %s, which "
                                     "this path requires.",
                                     name, api::Name(info.role))));
}

Admission RequestGate::Refused(const RequestInfo& info, const api::Principal& who,
                               api::Response refusal) const {
  counters_.denied_requests.fetch_add(1, std::memory_order_relaxed);
  if (audit_ != nullptr) {
    AuditEntry entry = *info.entry;
    entry.who = who.name;
    entry.tenant = api::TenantsForLogs(info.tenants, who.grant);
    entry.status = refusal.status;
    audit_->Add(entry);
  }
  return {false, std::move(refusal)};
}

std::optional<AuditEntry> RequestGate::EntryOf(const api::Request& request) const {
  if (audit_ == nullptr || !MayChange(request.method)) return std::nullopt;
  // Queries may also use POST.
  if (handler_.RoleFor(request.method, request.path()) == api::Role::kRead) return std::nullopt;
  return AuditEntry{request.user, request.remote_address, request.method,
                    std::string(request.path()),
                    api::TenantsForLogs(request.header(api::kTenantHeader), request.grant)};
}

void RequestGate::Serve(api::Request request, AnswerTerms terms, api::Respond respond) {
  {
    MutexLock lock(mutex_);
    ++running_;
  }
  auto answer =
      std::make_unique<Answer>(*this, std::move(terms), std::move(respond), EntryOf(request));
  if (request.method == "OPTIONS") {
    api::Response response;
    response.status = 204;
    response.headers.push_back({"Allow", "GET, HEAD, POST, OPTIONS"});
    return answer->Send(std::move(response));
  }
  if (request.method == "HEAD") request.method = "GET";
  request.arrived = std::chrono::steady_clock::now();
  const ClientId client = api::ClientOf(request);
  const bool is_probe = IsProbe(request.path());
  const bool only_queues = !is_probe && handler_.OnlyQueues(request);
  auto handle = [this, request = std::move(request), answer = std::move(answer)]() mutable {
    answer->OnHandled();
    handler_.Handle(std::move(request),
                    [answer = std::move(answer)](api::Response response) mutable {
                      answer->Send(std::move(response));
                    });
  };
  // Two switches of threads for each query instead of three.
  if (only_queues) return handle();
  WorkerPool& workers = is_probe ? workers_.probes : workers_.requests;
  // If the task is destroyed without running, the client gets an overload error.
  static_cast<void>(workers.TrySubmit(client, std::move(handle)));
}

void RequestGate::MakePart(std::shared_ptr<api::BodySource> rest, PartDone done) {
  api::BodySource& source = *rest;
  // The waiting `done` keeps the source of the body alive until the part is generated.
  auto part_request = std::make_shared<PartRequest>(PartRequest{std::move(rest), std::move(done)});
  source.Await([this, part_request = std::move(part_request)] {
    workers_.parts.Submit([part_request] {
      std::string part;
      absl::StatusOr<bool> has_more = part_request->rest->Next(part);
      part_request->done(std::move(has_more), std::move(part));
    });
  });
}

api::Response RequestGate::Finish(api::Response response, const AnswerTerms& terms) const {
  CompressBody(response, terms.coding);
  for (api::Header& header : cors_.HeadersFor(terms.origin)) {
    response.headers.push_back(std::move(header));
  }
  {
    const MutexLock lock(mutex_);
    response.headers.insert(response.headers.end(), headers_.begin(), headers_.end());
  }
  // Prevents browsers from treating data that a sender wrote as a page.
  if (!HasHeader(response, kContentTypeOptions)) {
    response.headers.push_back({kContentTypeOptions, "nosniff"});
  }
  return response;
}

void RequestGate::SetHeaders(std::vector<api::Header> headers) {
  const MutexLock lock(mutex_);
  headers_ = std::move(headers);
}

void RequestGate::OneAnswered() {
  MutexLock lock(mutex_);
  // Notify under the lock, because the gate may be destroyed as soon as it is released.
  if (--running_ == 0) all_answered_.NotifyAll();
}

uint64_t RequestGate::running_requests() const {
  MutexLock lock(mutex_);
  return running_;
}

api::Response ErrorPage(int status, std::string_view text) {
  api::Response response;
  response.status = status;
  response.body = std::string(text) + "\n";
  return response;
}

api::Response OverloadPage(std::string_view text) {
  api::Response response = ErrorPage(503, text);
  response.headers.push_back({"Retry-After", kRetryAfterSeconds});
  return response;
}

}  // namespace lockstep::server

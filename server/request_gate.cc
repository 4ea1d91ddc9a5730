#include "server/request_gate.h"

#include <memory>
#include <utility>

namespace lockstep::server {
namespace {

// Below this an answer fits into a packet or two as it is.
constexpr size_t kMinCompressedBytes = 1 << 10;
// Above this zlib's 32-bit lengths come near.
constexpr size_t kMaxCompressedBytes = 1 << 30;
constexpr const char* kRetryAfterSeconds = "5";

// A body in a coding, compressed as it comes.
class CompressedBody final : public api::BodySource {
 public:
  CompressedBody(ContentCoding coding, std::unique_ptr<api::BodySource> plain)
      : compressor_(coding), plain_(std::move(plain)) {}

  // What goes before the plain body.
  std::string Begin(std::string_view first) {
    std::string out;
    compressor_.Add(first, false, out);
    return out;
  }

  absl::StatusOr<bool> Next(std::string& out) override {
    const size_t size = out.size();
    bool has_more = true;
    // The compressor keeps little bytes back.
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

void CompressBody(api::Response& response, ContentCoding coding) {
  const bool is_small = response.rest == nullptr && response.body.size() < kMinCompressedBytes;
  if (is_small || HasHeader(response, "Content-Encoding")) return;
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

// The one answer to a request. If a handler lets go of it without a word, the client gets an error
// all the same.
class RequestGate::Answer {
 public:
  Answer(RequestGate& gate, AnswerTerms terms, api::Respond respond)
      : gate_(gate), terms_(std::move(terms)), respond_(std::move(respond)) {}
  ~Answer() {
    if (respond_) Send(std::move(fallback_));
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  void set_fallback(api::Response fallback) { fallback_ = std::move(fallback); }

  void Send(api::Response response) {
    api::Respond respond = std::exchange(respond_, nullptr);
    respond(gate_.Finish(std::move(response), terms_));
    gate_.OneAnswered();
  }

 private:
  RequestGate& gate_;
  AnswerTerms terms_;
  api::Respond respond_;
  api::Response fallback_ = OverloadPage("All workers are busy; try again later.");
};

RequestGate::RequestGate(RequestGateOptions options, Authenticator& authenticator,
                         WorkerPool& workers, WorkerPool& part_workers, api::Handler& handler,
                         HttpCounters& counters)
    : options_(std::move(options)),
      authenticator_(authenticator),
      workers_(workers),
      part_workers_(part_workers),
      handler_(handler),
      counters_(counters) {}

RequestGate::~RequestGate() {
  MutexLock lock(mutex_);
  while (running_ > 0) all_answered_.Wait(mutex_);
}

AnswerTerms RequestGate::TermsOf(const RequestHead& head) {
  return {std::string(head.header("Origin")), ChooseCoding(head.header("Accept-Encoding")),
          head.method == "HEAD", head.takes_chunks};
}

std::optional<Admission> RequestGate::Admit(const RequestHead& head,
                                            std::function<void(Admission)> later) {
  const auto admission_of = [this](AuthVerdict verdict) -> Admission {
    switch (verdict) {
      case AuthVerdict::kGranted:
        return {};
      case AuthVerdict::kDenied:
        return Denied();
      case AuthVerdict::kOverloaded:
        break;
    }
    counters_.overload_refusals.fetch_add(1, std::memory_order_relaxed);
    return {false, OverloadPage("Too many passwords are waiting to be checked; try again later.")};
  };
  const std::optional<AuthVerdict> verdict =
      authenticator_.Check(head.header("Authorization"),
                           [admission_of, later = std::move(later)](AuthVerdict late_verdict) {
                             later(admission_of(late_verdict));
                           });
  if (!verdict) return std::nullopt;
  return admission_of(*verdict);
}

Admission RequestGate::Denied() const {
  counters_.denied_requests.fetch_add(1, std::memory_order_relaxed);
  api::Response response = ErrorPage(401, "Unauthorized");
  response.headers.push_back({"WWW-Authenticate", authenticator_.has_users() ? "Basic" : "Bearer"});
  return {false, std::move(response)};
}

void RequestGate::Serve(api::Request request, AnswerTerms terms, api::Respond respond) {
  {
    MutexLock lock(mutex_);
    ++running_;
  }
  auto answer = std::make_unique<Answer>(*this, std::move(terms), std::move(respond));
  if (request.method == "OPTIONS") {
    api::Response response;
    response.status = 204;
    response.headers.push_back({"Allow", "GET, HEAD, POST, OPTIONS"});
    return answer->Send(std::move(response));
  }
  if (request.method == "HEAD") request.method = "GET";
  request.user = authenticator_.NameOf(request.header("Authorization"));
  const bool submitted = workers_.TrySubmit(
      [this, request = std::move(request), answer = std::move(answer)]() mutable {
        answer->set_fallback(ErrorPage(500, "The request was dropped without an answer."));
        handler_.Handle(std::move(request),
                        [answer = std::move(answer)](api::Response response) mutable {
                          answer->Send(std::move(response));
                        });
      });
  if (!submitted) counters_.overload_refusals.fetch_add(1, std::memory_order_relaxed);
}

void RequestGate::MakePart(std::shared_ptr<api::BodySource> rest, PartDone done) {
  part_workers_.Submit([rest = std::move(rest), done = std::move(done)]() mutable {
    std::string part;
    absl::StatusOr<bool> has_more = rest->Next(part);
    done(std::move(has_more), std::move(part));
  });
}

api::Response RequestGate::Finish(api::Response response, const AnswerTerms& terms) const {
  CompressBody(response, terms.coding);
  for (api::Header& header : options_.cors.HeadersFor(terms.origin)) {
    response.headers.push_back(std::move(header));
  }
  response.headers.insert(response.headers.end(), options_.headers.begin(), options_.headers.end());
  return response;
}

void RequestGate::OneAnswered() {
  MutexLock lock(mutex_);
  // Notified under the lock: the gate may be gone as soon as it is released.
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

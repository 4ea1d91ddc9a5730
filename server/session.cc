#include "server/session.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "server/request_gate.h"

namespace lockstep::server {
namespace {

constexpr size_t kHeadReadBytes = 4 << 10;
constexpr size_t kBodyReadBytes = 64 << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kTooManyConnections =
    "This client has too many open connections (web.max-connections); try again later.";

}  // namespace

void Session::Start() {
  // A shutdown may have happened first.
  if (state_ == State::kClosed) return;
  StartTimer(shared_.limits.handshake_timeout);
  transport_->Handshake([self = shared_from_this()](std::error_code error, size_t) {
    if (self->state_ == State::kClosed) return;
    if (error) return self->Close();
    self->AwaitRequest();
  });
}

void Session::Drain() {
  transport_->Post([self = shared_from_this()] {
    self->draining_ = true;
    if (self->state_ == State::kIdle || self->state_ == State::kHandshake) self->Close();
  });
}

void Session::MakeRoom() {
  transport_->Post([self = shared_from_this()] {
    if (self->is_working_ || self->state_ == State::kClosed) return;
    self->shared_.counters.displaced_connections.fetch_add(1, std::memory_order_relaxed);
    self->Close();
  });
}

void Session::Abort() {
  transport_->Post([self = shared_from_this()] {
    if (self->cancel_) self->cancel_->Fire();
    self->Close();
  });
}

void Session::AwaitRequest() {
  is_working_ = false;
  connection_.Wait();
  if (!buffer_.empty()) return StartRequest();
  if (draining_ || peer_gone_) return Close();
  state_ = State::kIdle;
  StartTimer(was_let_in_ ? shared_.limits.idle_timeout : shared_.limits.first_request_timeout);
  Read();
}

void Session::StartRequest() {
  state_ = State::kHead;
  timed_ = false;
  parser_.emplace(shared_.limits.max_head_bytes, shared_.limits.max_body_bytes,
                  shared_.body_budget);
  Advance();
}

void Session::Read() {
  if (reading_) return;
  reading_ = true;
  if (state_ != State::kBody) buffer_.Shrink();
  const std::span<char> room =
      buffer_.Prepare(state_ == State::kBody ? kBodyReadBytes : kHeadReadBytes);
  transport_->ReadSome(room, [self = shared_from_this()](std::error_code error, size_t size) {
    self->OnRead(error, size);
  });
}

void Session::OnRead(std::error_code error, size_t size) {
  reading_ = false;
  if (state_ == State::kClosed) return;
  if (error) return OnReadError();
  shared_.counters.received_bytes.fetch_add(size, std::memory_order_relaxed);
  buffer_.Commit(size);
  if (state_ == State::kBody) body_bytes_ += size;
  switch (state_) {
    case State::kIdle:
      return StartRequest();
    case State::kHead:
    case State::kBody:
      return Advance();
    case State::kLinger:
      buffer_.Consume(buffer_.readable().size());
      return Read();
    default:
      return;  // the next request arrived early; it waits in the buffer
  }
}

void Session::OnReadError() {
  peer_gone_ = true;
  switch (state_) {
    case State::kHandling:
      shared_.counters.abandoned_requests.fetch_add(1, std::memory_order_relaxed);
      return cancel_->Fire();
    case State::kAdmission:
    case State::kContinue:
    case State::kWriting:
      // A client may close its sending side and continue to read.
      return;
    default:
      return Close();
  }
}

void Session::Advance() {
  std::string_view bytes = buffer_.readable();
  const size_t before = bytes.size();
  const RequestParser::Step step = parser_->Parse(bytes);
  buffer_.Consume(before - bytes.size());
  switch (step) {
    case RequestParser::Step::kNeedMore:
      return ReadOn();
    case RequestParser::Step::kHead:
      return OnHead();
    case RequestParser::Step::kDone:
      return OnRequest();
    case RequestParser::Step::kFailed:
      shared_.counters.malformed_requests.fetch_add(1, std::memory_order_relaxed);
      return Refuse(parser_->refusal());
  }
}

// Most requests arrive in one piece; for the others, a timer starts here.
void Session::ReadOn() {
  if (!timed_) {
    timed_ = true;
    StartTimer(state_ == State::kHead ? shared_.limits.head_timeout : BodyCheckAfter());
  }
  Read();
}

std::chrono::milliseconds Session::BodyCheckAfter() const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(body_deadline_ -
                                                                 std::chrono::steady_clock::now());
  return std::min(shared_.limits.slow_transfer_timeout, left);
}

void Session::OnHead() {
  shared_.counters.requests.fetch_add(1, std::memory_order_relaxed);
  const RequestHead& head = parser_->head();
  terms_ = RequestGate::TermsOf(head);
  keep_alive_ = head.keep_alive && !connection_.is_reserved();
  state_ = State::kAdmission;
  transport_->StopTimer();
  if (connection_.is_reserved() && !IsProbe(head.path())) {
    shared_.counters.refused_connections.fetch_add(1, std::memory_order_relaxed);
    return Refuse({503, std::string(kTooManyConnections)});
  }
  std::optional<Admission> admission = shared_.gate.Admit(
      head, transport_->peer(), [self = shared_from_this()](Admission later) mutable {
        Transport& transport = *self->transport_;
        transport.Post([self = std::move(self), later = std::move(later)]() mutable {
          self->OnAdmission(std::move(later));
        });
      });
  if (admission) OnAdmission(*std::move(admission));
}

void Session::OnAdmission(Admission admission) {
  if (state_ == State::kClosed) return;
  if (!admission.granted) {
    // Without the body, the end of the request is unknown.
    std::string_view nothing;
    if (parser_->Parse(nothing) != RequestParser::Step::kDone) keep_alive_ = false;
    return WriteAnswer(shared_.gate.Finish(std::move(admission.refusal), terms_));
  }
  was_let_in_ = true;
  is_working_ = true;
  connection_.Work();
  who_ = std::move(admission.who);
  parser_->SetClient(
      {NetworkOfAddress(transport_->peer().address), who_ == nullptr ? "" : who_->name});
  // A client that has started its body does not wait for "100 Continue".
  if (parser_->head().expects_continue && buffer_.empty()) return SendContinue();
  ReadBody();
}

void Session::SendContinue() {
  state_ = State::kContinue;
  StartTimer(shared_.limits.slow_transfer_timeout);
  transport_->WriteSome(kContinue, {},
                        [self = shared_from_this()](std::error_code error, size_t size) {
                          if (self->state_ == State::kClosed) return;
                          if (error || size < kContinue.size()) return self->Close();
                          self->written_bytes_ += size;
                          self->ReadBody();
                        });
}

void Session::ReadBody() {
  state_ = State::kBody;
  timed_ = false;
  body_bytes_ = 0;
  pace_.Begin(0);
  body_deadline_ = std::chrono::steady_clock::now() + shared_.limits.body_timeout;
  Advance();
}

void Session::OnRequest() {
  state_ = State::kHandling;
  transport_->StopTimer();
  cancel_ = std::make_shared<api::CancelSignal>();
  lease_ = parser_->TakeLease();
  api::Request request = parser_->TakeRequest();
  request.remote_address = transport_->peer().address;
  request.cancel = cancel_;
  if (who_ != nullptr) {
    request.user = who_->name;
    request.grant = who_->grant;
  }
  if (buffer_.empty()) Read();
  shared_.gate.Serve(
      std::move(request), terms_, [self = shared_from_this()](api::Response response) mutable {
        Transport& transport = *self->transport_;
        transport.Post([self = std::move(self), response = std::move(response)]() mutable {
          self->OnAnswer(std::move(response));
        });
      });
}

void Session::OnAnswer(api::Response response) {
  lease_ = BodyBudget::Lease();
  cancel_ = nullptr;
  if (state_ == State::kClosed) return;
  WriteAnswer(std::move(response));
}

void Session::Refuse(const Refusal& refusal) {
  keep_alive_ = false;
  const bool overloaded = refusal.status == 503;
  if (overloaded) shared_.counters.overload_refusals.fetch_add(1, std::memory_order_relaxed);
  api::Response page =
      overloaded ? OverloadPage(refusal.reason) : ErrorPage(refusal.status, refusal.reason);
  WriteAnswer(shared_.gate.Finish(std::move(page), terms_));
}

void Session::WriteAnswer(api::Response response) {
  state_ = State::kWriting;
  if (draining_ || peer_gone_) keep_alive_ = false;
  parser_.reset();
  framing_ = response.rest == nullptr ? BodyFraming::kLength
             : terms_.takes_chunks    ? BodyFraming::kChunked
                                      : BodyFraming::kUntilClose;
  if (framing_ == BodyFraming::kUntilClose) keep_alive_ = false;
  out_head_ = ResponseHead(response, keep_alive_, framing_);
  place_ = std::move(response.place);
  if (terms_.head_only) {
    out_body_.clear();
    return WriteMore();
  }
  rest_ = std::move(response.rest);
  next_part_ = std::move(response.body);
  WritePart();
}

void Session::MakePart() {
  shared_.gate.MakePart(
      rest_, [self = shared_from_this()](absl::StatusOr<bool> has_more, std::string part) mutable {
        Transport& transport = *self->transport_;
        transport.Post([self = std::move(self), has_more = std::move(has_more),
                        part = std::move(part)]() mutable {
          self->OnPart(std::move(has_more), std::move(part));
        });
      });
}

void Session::OnPart(absl::StatusOr<bool> has_more, std::string part) {
  if (state_ == State::kClosed) return;
  if (!has_more.ok()) {
    Log(LogLevel::kWarn, "a response was aborted", {{"error", Message(has_more.status())}});
    return Close();
  }
  if (!*has_more) rest_ = nullptr;
  next_part_ = std::move(part);
  if (!writing_) WritePart();
}

void Session::WritePart() {
  out_body_ = *std::exchange(next_part_, std::nullopt);
  if (framing_ == BodyFraming::kChunked) {
    // An empty chunk would end the body.
    if (!out_body_.empty()) {
      out_head_ += ChunkHead(out_body_.size());
      out_body_ += kChunkEnd;
    }
    if (rest_ == nullptr) out_body_ += kLastChunk;
  }
  if (rest_ != nullptr) MakePart();
  if (out_head_.empty() && out_body_.empty()) return OnWritten({}, 0);
  WriteMore();
}

void Session::WriteMore() {
  std::string_view head = out_head_;
  std::string_view body = out_body_;
  const size_t head_written = std::min(out_written_, head.size());
  head.remove_prefix(head_written);
  body.remove_prefix(out_written_ - head_written);
  if (head.empty()) std::swap(head, body);
  if (!writing_) {
    writing_ = true;
    pace_.Begin(TakenBytes());
    StartTimer(shared_.limits.slow_transfer_timeout);
  }
  transport_->WriteSome(head, body,
                        [self = shared_from_this()](std::error_code error, size_t size) {
                          self->OnWritten(error, size);
                        });
}

void Session::OnWritten(std::error_code error, size_t size) {
  if (state_ == State::kClosed) return;
  if (error) return Close();
  shared_.counters.sent_bytes.fetch_add(size, std::memory_order_relaxed);
  out_written_ += size;
  written_bytes_ += size;
  if (out_written_ < out_head_.size() + out_body_.size()) return WriteMore();
  writing_ = false;
  out_head_.clear();
  out_body_ = std::string();
  out_written_ = 0;
  if (next_part_) return WritePart();
  // The client has received everything; the next part is being generated.
  if (rest_ != nullptr) return transport_->StopTimer();
  place_ = nullptr;
  if (keep_alive_) return AwaitRequest();
  Linger();
}

// Closing while the client is still sending would reset the connection, and the client would lose
// the response.
void Session::Linger() {
  if (peer_gone_) return Close();
  is_working_ = false;
  connection_.Wait();
  state_ = State::kLinger;
  buffer_.Consume(buffer_.readable().size());
  transport_->FinishWriting();
  StartTimer(shared_.limits.linger_timeout);
  Read();
}

void Session::Close() {
  state_ = State::kClosed;
  rest_ = nullptr;
  next_part_.reset();
  place_ = nullptr;
  transport_->Close();
}

void Session::StartTimer(std::chrono::milliseconds timeout) {
  transport_->StartTimer(timeout, [self = shared_from_this()] { self->OnTimeout(); });
}

void Session::OnTimeout() {
  switch (state_) {
    case State::kHead:
      return TimeOut("The request's header arrived too slowly.");
    case State::kBody:
      return OnBodyTimeout();
    case State::kWriting:
      return OnWriteTimeout();
    default:
      return Close();
  }
}

void Session::OnBodyTimeout() {
  if (BodyCheckAfter() <= std::chrono::milliseconds(0)) {
    return TimeOut("The request's body arrived too slowly.");
  }
  if (!pace_.KeepsUp(body_bytes_)) {
    return TimeOut("The request's body arrived too slowly (web.min-transfer-rate).");
  }
  StartTimer(BodyCheckAfter());
}

void Session::OnWriteTimeout() {
  if (pace_.KeepsUp(TakenBytes())) return StartTimer(shared_.limits.slow_transfer_timeout);
  shared_.counters.timed_out_requests.fetch_add(1, std::memory_order_relaxed);
  Close();
}

void Session::TimeOut(std::string_view what) {
  shared_.counters.timed_out_requests.fetch_add(1, std::memory_order_relaxed);
  Refuse({408, std::string(what)});
}

}  // namespace lockstep::server

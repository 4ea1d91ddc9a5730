#include "server/otlp_grpc/connection.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::server {
namespace {

constexpr size_t kQuietReadBytes = 4 << 10;
constexpr size_t kCallReadBytes = 64 << 10;
constexpr size_t kWriteBytes = 64 << 10;
// How much a client may have sent before it learns that its connection is over.
constexpr size_t kMaxDiscardedBytes = 4 << 20;

}  // namespace

Connection::Connection(GrpcDoor& door, std::unique_ptr<Transport> transport,
                       ConnectionShares::Lease lease)
    : door_(door),
      transport_(std::move(transport)),
      lease_(std::move(lease)),
      now_(std::chrono::steady_clock::now()),
      opened_at_(now_),
      http2_(door.limits.http2, *this, now_),
      quiet_since_(now_) {}

void Connection::Start() {
  // A shutdown may have happened first.
  if (state_ == State::kClosed) return;
  ArmTimer();
  transport_->Handshake([self = shared_from_this()](std::error_code error, size_t) {
    if (self->state_ == State::kClosed) return;
    if (error) return self->Close();
    self->state_ = State::kOpen;
    self->Continue();
  });
}

void Connection::Drain() {
  transport_->Post([self = shared_from_this()] {
    self->is_draining_ = true;
    if (self->state_ == State::kHandshake) return self->Close();
    if (self->state_ != State::kOpen) return;
    self->http2_.GoAway();
    self->Continue();
  });
}

void Connection::MakeRoom() {
  transport_->Post([self = shared_from_this()] {
    if (self->let_in_calls_ > 0 || self->state_ == State::kClosed) return;
    ++self->door_.counters.displaced_connections;
    self->Close();
  });
}

void Connection::Abort() {
  transport_->Post([self = shared_from_this()] { self->Close(); });
}

void Connection::WithCall(std::shared_ptr<Connection> connection, int32_t stream,
                          absl::AnyInvocable<void(Call&)> act) {
  Transport& transport = *connection->transport_;
  transport.Post([self = std::move(connection), stream, act = std::move(act)]() mutable {
    const auto found = self->calls_.find(stream);
    if (found == self->calls_.end()) return;
    self->now_ = std::chrono::steady_clock::now();
    act(*found->second);
    self->Continue();
  });
}

void Connection::OnCallLetIn() {
  ++let_in_calls_;
  lease_.Work();
}

void Connection::OnHead(int32_t stream, CallHead head) {
  auto call = std::make_unique<Call>(*this, door_, stream, now_);
  Call& begun = *call;
  calls_.emplace(stream, std::move(call));
  begun.Begin(std::move(head));
}

void Connection::OnData(int32_t stream, std::string_view bytes) {
  if (const auto found = calls_.find(stream); found != calls_.end()) found->second->Add(bytes);
}

void Connection::OnRequestEnd(int32_t stream) {
  if (const auto found = calls_.find(stream); found != calls_.end()) found->second->OnRequestEnd();
}

void Connection::OnClosed(int32_t stream) {
  quiet_since_ = now_;
  const auto found = calls_.find(stream);
  if (found == calls_.end()) return;
  const bool was_let_in = found->second->was_let_in();
  calls_.erase(found);
  if (was_let_in && --let_in_calls_ == 0) lease_.Wait();
}

void Connection::Read() {
  if (is_reading_) return;
  is_reading_ = true;
  const bool is_quiet = calls_.empty();
  if (is_quiet) in_.Shrink();
  transport_->ReadSome(in_.Prepare(is_quiet ? kQuietReadBytes : kCallReadBytes),
                       [self = shared_from_this()](std::error_code error, size_t size) {
                         self->OnRead(error, size);
                       });
}

void Connection::OnRead(std::error_code error, size_t size) {
  is_reading_ = false;
  if (state_ == State::kClosed) return;
  if (error) return Close();
  if (state_ == State::kLinger) return Discard(size);
  now_ = std::chrono::steady_clock::now();
  in_.Commit(size);
  http2_.Receive(in_.readable(), now_);
  in_.Consume(size);
  Continue();
}

// Sends pending output; then reads again, or closes.
void Connection::Continue() {
  if (state_ != State::kOpen) return;
  if (!is_writing_) {
    out_.clear();
    out_written_ = 0;
    http2_.TakeOutput(out_, kWriteBytes);
    if (!out_.empty()) {
      writing_since_ = now_;
      Write();
    } else if (http2_.is_over()) {
      return Linger();
    } else {
      Read();
    }
  }
  ArmTimer();
}

void Connection::Write() {
  is_writing_ = true;
  const std::string_view rest = std::string_view(out_).substr(out_written_);
  transport_->WriteSome(rest, {}, [self = shared_from_this()](std::error_code error, size_t size) {
    self->OnWritten(error, size);
  });
}

void Connection::OnWritten(std::error_code error, size_t size) {
  is_writing_ = false;
  if (state_ == State::kClosed) return;
  if (error) return Close();
  now_ = writing_since_ = std::chrono::steady_clock::now();
  out_written_ += size;
  if (out_written_ < out_.size()) return Write();
  Continue();
}

// Closing while the client is still sending would reset the connection, and the client would lose
// the last message.
void Connection::Linger() {
  if (http2_.is_broken()) ++door_.counters.broken_connections;
  state_ = State::kLinger;
  lingering_since_ = now_;
  EndCalls();
  transport_->FinishWriting();
  Read();
  ArmTimer();
}

void Connection::Discard(size_t size) {
  discarded_bytes_ += size;
  if (discarded_bytes_ > kMaxDiscardedBytes) return Close();
  Read();
}

void Connection::EndCalls() {
  calls_.clear();
  let_in_calls_ = 0;
  lease_.Wait();
}

void Connection::Close() {
  state_ = State::kClosed;
  EndCalls();
  transport_->Close();
}

Connection::Time Connection::Deadline() const {
  const GrpcLimits& limits = door_.limits;
  if (state_ == State::kHandshake) return opened_at_ + limits.handshake_timeout;
  if (state_ == State::kLinger) return lingering_since_ + limits.linger_timeout;
  if (is_writing_) return writing_since_ + limits.write_timeout;
  if (calls_.empty()) {
    return has_had_call_ ? quiet_since_ + limits.idle_timeout
                         : opened_at_ + limits.first_call_timeout;
  }
  Time deadline = Time::max();
  for (const auto& [stream, call] : calls_) {
    if (const std::optional<Time> of_call = call->deadline())
      deadline = std::min(deadline, *of_call);
  }
  return deadline;
}

void Connection::ArmTimer() {
  const Time deadline = Deadline();
  if (deadline >= timer_at_) return;
  timer_at_ = deadline;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now_);
  transport_->StartTimer(std::max(left, std::chrono::milliseconds(0)),
                         [self = shared_from_this()] { self->OnTimer(); });
}

void Connection::OnTimer() {
  timer_at_ = Time::max();
  if (state_ == State::kClosed) return;
  now_ = std::chrono::steady_clock::now();
  if (Deadline() > now_) return ArmTimer();
  if (state_ != State::kOpen || is_writing_) return Close();
  if (calls_.empty()) http2_.GoAway();
  for (const auto& [stream, call] : calls_) {
    const std::optional<Time> of_call = call->deadline();
    if (of_call.has_value() && *of_call <= now_) call->Expire();
  }
  Continue();
}

}  // namespace lockstep::server

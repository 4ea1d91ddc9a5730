// Session: one client's connection, from handshake to close. It reads requests one after the other,
// hands each to the RequestGate and writes the answer before it looks at the next: pipelined
// requests are answered in order.
//
//   handshake -> idle -> head -> admission -> [continue] -> body -> handling -> writing -> idle ...
//                          `------------- refused ------------------------------^   `-> linger
//
// While a request is handled one read is kept pending, so that a client that hangs up is noticed. Of an
// answer in parts one is made while the one before it is sent.
// Everything runs on the transport's loop thread but for Drain(), MakeRoom() and Abort(), which are safe
// from any.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http.h"
#include "server/body_budget.h"
#include "server/connection_shares.h"
#include "server/http_limits.h"
#include "server/http_stats.h"
#include "server/read_buffer.h"
#include "server/request_gate.h"
#include "server/request_parser.h"
#include "server/response_head.h"
#include "server/transfer_pace.h"
#include "server/transport.h"

namespace lockstep::server {

// What the sessions of one server share; outlives them.
struct SessionShared {
  const HttpLimits& limits;
  RequestGate& gate;
  BodyBudget& body_budget;
  HttpCounters& counters;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(SessionShared shared, std::unique_ptr<Transport> transport,
          ConnectionShares::Lease lease = {})
      : shared_(shared),
        transport_(std::move(transport)),
        connection_(std::move(lease)),
        pace_(shared.limits) {}

  // Once, on the loop thread.
  void Start();
  // Closes as soon as no request is under way.
  void Drain();
  // Closes unless a request that was let in is under way: another connection needs the room.
  void MakeRoom();
  // Cancels the request under way and closes at once.
  void Abort();

 private:
  enum class State {
    kHandshake,
    kIdle,
    kHead,
    kAdmission,
    kContinue,
    kBody,
    kHandling,
    kWriting,
    kLinger,
    kClosed,
  };

  void Read();
  void OnRead(std::error_code error, size_t size);
  void OnReadError();
  void Advance();
  void ReadOn();

  void AwaitRequest();
  void StartRequest();
  void OnHead();
  void OnAdmission(Admission admission);
  void SendContinue();
  void ReadBody();
  void OnRequest();
  void OnAnswer(api::Response response);
  void Refuse(const Refusal& refusal);

  void WriteAnswer(api::Response response);
  void MakePart();
  void OnPart(absl::StatusOr<bool> has_more, std::string part);
  void WritePart();
  void WriteMore();
  void OnWritten(std::error_code error, size_t size);
  void Linger();
  void Close();
  void OnTimeout();
  void OnBodyTimeout();
  void OnWriteTimeout();
  void TimeOut(std::string_view what);
  std::chrono::milliseconds BodyCheckAfter() const;
  // Of what was written, that which has reached the client.
  uint64_t TakenBytes() const {
    return written_bytes_ - std::min(written_bytes_, transport_->UnsentBytes());
  }
  void StartTimer(std::chrono::milliseconds timeout);

  const SessionShared shared_;
  const std::unique_ptr<Transport> transport_;
  ConnectionShares::Lease connection_;

  State state_ = State::kHandshake;
  ReadBuffer buffer_;
  bool reading_ = false;
  bool timed_ = false;  // the timer runs for the head or body that is being read
  bool draining_ = false;
  bool peer_gone_ = false;
  bool was_let_in_ = false;  // by a request's credentials
  bool is_working_ = false;  // for a request that was let in
  TransferPace pace_;        // of the body or the answer that is under way

  // Of the request under way.
  std::optional<RequestParser> parser_;
  AnswerTerms terms_;
  std::shared_ptr<const api::Principal> who_;
  std::shared_ptr<api::CancelSignal> cancel_;
  BodyBudget::Lease lease_;
  uint64_t body_bytes_ = 0;  // that came
  std::chrono::steady_clock::time_point body_deadline_{};
  bool keep_alive_ = false;

  // Of the answer under way.
  std::string out_head_;  // of the whole, or of a chunk
  std::string out_body_;
  size_t out_written_ = 0;
  bool writing_ = false;
  uint64_t written_bytes_ = 0;  // since the connection began
  BodyFraming framing_ = BodyFraming::kLength;
  std::shared_ptr<api::BodySource> rest_;  // null once its last part is there
  std::optional<std::string> next_part_;
  std::shared_ptr<const void> place_;  // see api::Response
};

}  // namespace lockstep::server

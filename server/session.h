// Session: one client's connection, from handshake to close. It reads requests one after another,
// gives each to the RequestGate, and writes the response before reading the next, so pipelined
// requests are answered in order.
//
//   handshake -> idle -> head -> admission -> [continue] -> body -> handling -> writing -> idle ...
//                          `------------- refused ------------------------------^   `-> linger
//
// While a request is handled, one read stays pending to notice when a client disconnects. In a
// response in parts, the next part is generated while the previous one is sent. Everything runs on
// the transport's loop thread, except Drain(), MakeRoom() and Abort(), which are safe from any
// thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/http.h"
#include "server/http/read_buffer.h"
#include "server/http/request_parser.h"
#include "server/http/response_head.h"
#include "server/limits/body_budget.h"
#include "server/limits/connection_shares.h"
#include "server/limits/http_limits.h"
#include "server/limits/transfer_pace.h"
#include "server/metrics/server_stats.h"
#include "server/request_gate.h"
#include "server/socket/transport.h"

namespace lockstep::server {

// The state shared by all sessions of a server. Must outlive them.
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

  // Call once, on the loop thread.
  void Start();
  // Closes the connection as soon as no request is in flight.
  void Drain();
  // Closes the connection unless an accepted request is in flight, because another connection needs
  // the room.
  void MakeRoom();
  // Cancels the request in flight and closes at once.
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
  // The number of written bytes that the client has received.
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
  bool timed_ = false;  // the timer covers the head or body being read
  bool draining_ = false;
  bool peer_gone_ = false;
  bool was_let_in_ = false;  // a request's credentials were accepted
  bool is_working_ = false;  // on an accepted request
  TransferPace pace_;        // of the body or response in progress

  // The request in progress.
  std::optional<RequestParser> parser_;
  AnswerTerms terms_;
  std::shared_ptr<const api::Principal> who_;
  std::shared_ptr<api::CancelSignal> cancel_;
  BodyBudget::Lease lease_;
  uint64_t body_bytes_ = 0;  // received so far
  std::chrono::steady_clock::time_point body_deadline_{};
  bool keep_alive_ = false;

  // The response in progress.
  std::string out_head_;  // for the whole response, or for a chunk
  std::string out_body_;
  size_t out_written_ = 0;
  bool writing_ = false;
  uint64_t written_bytes_ = 0;  // since the connection began
  BodyFraming framing_ = BodyFraming::kLength;
  std::shared_ptr<api::BodySource> rest_;  // null once its last part is generated
  std::optional<std::string> next_part_;
  std::shared_ptr<const void> place_;  // see api::Response
};

}  // namespace lockstep::server

// Connection: one client's HTTP/2 connection to the gRPC server, from handshake to close, and its
// calls.
//
//   handshake ──▶ open ──▶ linger ──▶ closed
//
// Reads only when all output is written, so no further responses are generated for a client that
// does not receive them. Everything runs on the transport's loop thread, except Drain(),
// MakeRoom(), Abort() and WithCall(), which are safe from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <unordered_map>

#include "absl/functional/any_invocable.h"
#include "server/http/read_buffer.h"
#include "server/limits/connection_shares.h"
#include "server/otlp_grpc/call.h"
#include "server/otlp_grpc/grpc_door.h"
#include "server/otlp_grpc/http2_session.h"
#include "server/socket/transport.h"

namespace lockstep::server {

class Connection : public std::enable_shared_from_this<Connection>, private Http2Session::Events {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `door` must outlive the connection.
  Connection(GrpcDoor& door, std::unique_ptr<Transport> transport,
             ConnectionShares::Lease lease = {});

  // Call once, on the loop thread.
  void Start();
  // Accepts no more calls, and closes after the last response.
  void Drain();
  // Closes the connection unless an accepted call is in flight, because another connection needs
  // the room.
  void MakeRoom();
  // Cancels calls in flight and closes at once.
  void Abort();

  // Runs `act` on the loop thread if the call still exists.
  static void WithCall(std::shared_ptr<Connection> connection, int32_t stream,
                       absl::AnyInvocable<void(Call&)> act);

  // For use by its calls.
  Http2Session& http2() { return http2_; }
  const Peer& peer() const { return transport_->peer(); }
  Time now() const { return now_; }
  void OnCallLetIn();
  void OnWholeCall() { has_had_call_ = true; }
  std::atomic<size_t>& pending_answers() { return pending_answers_; }

 private:
  enum class State { kHandshake, kOpen, kLinger, kClosed };

  void OnHead(int32_t stream, CallHead head) override;
  void OnData(int32_t stream, std::string_view bytes) override;
  void OnRequestEnd(int32_t stream) override;
  void OnClosed(int32_t stream) override;

  void Read();
  void OnRead(std::error_code error, size_t size);
  void Continue();
  void Write();
  void OnWritten(std::error_code error, size_t size);
  void Linger();
  void Discard(size_t size);
  void EndCalls();
  void Close();

  Time Deadline() const;
  void ArmTimer();
  void OnTimer();

  GrpcDoor& door_;
  const std::unique_ptr<Transport> transport_;
  ConnectionShares::Lease lease_;
  Time now_;
  const Time opened_at_;
  Http2Session http2_;
  std::unordered_map<int32_t, std::unique_ptr<Call>> calls_;
  std::atomic<size_t> pending_answers_{0};

  State state_ = State::kHandshake;
  bool is_draining_ = false;
  bool has_had_call_ = false;
  size_t let_in_calls_ = 0;  // among calls_
  Time quiet_since_;         // the end of the last call, or of the handshake
  Time lingering_since_{};
  size_t discarded_bytes_ = 0;  // since then

  ReadBuffer in_;
  bool is_reading_ = false;
  std::string out_;
  size_t out_written_ = 0;
  bool is_writing_ = false;
  Time writing_since_{};  // since the client last received a byte

  Time timer_at_ = Time::max();  // when it expires; max: it is off
};

}  // namespace lockstep::server

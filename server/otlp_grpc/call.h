// Call: one gRPC call, from its header to its response.
//
//   head ──▶ admission ──▶ message ──▶ handling ──▶ answered
//              └──────────────┴── refused ───────────┘
//
// Lives on its connection's thread. What it waits for may answer from any thread, and finds the
// call by its stream (Connection::WithCall).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/http.h"
#include "server/auth/authenticator.h"
#include "server/otlp_grpc/grpc_door.h"
#include "server/otlp_grpc/http2_session.h"
#include "server/otlp_grpc/message_reader.h"

namespace lockstep::server {

class Connection;

class Call {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `connection` must outlive the call.
  Call(Connection& connection, GrpcDoor& door, int32_t stream, Time now);
  // Notifies those working on the request that the result is no longer needed.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Begin(CallHead head);
  void Add(std::string_view bytes);
  void OnRequestEnd();

  // When Expire() is due unless something happens; nullopt while the handler works.
  std::optional<Time> deadline() const;
  void Expire();
  // Whether its credentials were accepted.
  bool was_let_in() const { return who_ != nullptr; }

  // Results from other threads.
  void OnVerdict(AuthAnswer answer);
  void OnAnswer(api::Response response);

 private:
  enum class State { kAdmission, kMessage, kHandling, kAnswered };

  void Admit(std::string_view authorization);
  void Advance();
  void Handle();
  api::Request RequestOf();
  void Refuse(const GrpcStatus& status);
  void Answer(const GrpcStatus& status, std::string body);
  AuditEntry AuditEntryOf(const api::Principal& who) const;
  void Audit(const api::Principal& who, int http_status) const;
  void Count(const GrpcStatus& status) const;

  Connection& connection_;
  GrpcDoor& door_;
  const int32_t stream_;
  const Time begun_at_;
  State state_ = State::kAdmission;
  std::string message_encoding_;
  std::string tenants_;
  MessageReader reader_;
  size_t unconsumed_bytes_ = 0;  // received before the call was admitted
  bool has_ended_ = false;       // the request is complete
  std::shared_ptr<const api::Principal> who_;
  std::shared_ptr<api::CancelSignal> cancel_;
  Time answered_at_{};
};

}  // namespace lockstep::server

// Call: one call of the gRPC door, from its head to its answer.
//
//   head ──▶ admission ──▶ message ──▶ handling ──▶ answered
//              └──────────────┴── refused ───────────┘
//
// It lives on the thread of its connection; what it waits for may answer from any thread, and finds
// it by its stream (Connection::WithCall).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http.h"
#include "server/authenticator.h"
#include "server/otlp_grpc/grpc_door.h"
#include "server/otlp_grpc/http2_session.h"
#include "server/otlp_grpc/message_reader.h"

namespace lockstep::server {

class Connection;

class Call {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The connection outlives the call.
  Call(Connection& connection, GrpcDoor& door, int32_t stream, Time now);
  // Whoever works on the request is told that nobody waits.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Begin(CallHead head);
  void Add(std::string_view bytes);
  void OnRequestEnd();

  // When Expire() is due unless something happens; nothing while the handler works.
  std::optional<Time> deadline() const;
  void Expire();
  // By its credentials.
  bool was_let_in() const { return who_ != nullptr; }

  // What others found out.
  void OnVerdict(AuthAnswer answer);
  void OnAnswer(api::Response response);

 private:
  enum class State { kAdmission, kMessage, kHandling, kAnswered };

  void Admit(std::string_view authorization);
  void Advance();
  void Handle();
  api::Request RequestOf();
  std::string_view MessageEncoding() const;
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
  bool has_ended_ = false;       // the request
  std::shared_ptr<const api::Principal> who_;
  std::shared_ptr<api::CancelSignal> cancel_;
  Time answered_at_{};
};

}  // namespace lockstep::server

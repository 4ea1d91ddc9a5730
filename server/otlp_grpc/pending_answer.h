// PendingAnswer: the outstanding response to a call that was given to the handler. It delivers one
// answer if the call still exists, writes the audit log entry, and holds the memory of the message.
// Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "api/http/http.h"
#include "base/budget/client_id.h"
#include "base/budget/fair_pool.h"
#include "server/auth/audit_log.h"
#include "server/limits/body_budget.h"
#include "server/otlp_grpc/grpc_door.h"

namespace lockstep::server {

class Connection;

class PendingAnswer {
 public:
  PendingAnswer(GrpcDoor& door, std::shared_ptr<Connection> connection, int32_t stream,
                AuditEntry entry, BodyBudget::Lease lease, ClientId client);
  // If no answer was sent, tells the call that there was no room or, once it was handled, that the
  // answer was lost.
  ~PendingAnswer();
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;

  // Whether the server, the client and the connection had room for this call.
  bool has_room() const { return has_room_; }
  void OnHandled();
  void Send(api::Response response);

 private:
  GrpcDoor& door_;
  std::shared_ptr<Connection> connection_;  // null once the answer is sent
  const int32_t stream_;
  AuditEntry entry_;
  BodyBudget::Lease lease_;
  FairPool::Claim room_;
  bool has_room_ = true;
  api::Response fallback_;
};

}  // namespace lockstep::server

// PendingAnswer: what a call that was handed to the handler still owes: its one answer, which
// reaches the call if that is still there, its line in the audit log, and the memory of its
// message. Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "api/http.h"
#include "base/client_id.h"
#include "base/fair_pool.h"
#include "server/audit_log.h"
#include "server/body_budget.h"
#include "server/otlp_grpc/grpc_door.h"

namespace lockstep::server {

class Connection;

class PendingAnswer {
 public:
  PendingAnswer(GrpcDoor& door, std::shared_ptr<Connection> connection, int32_t stream,
                AuditEntry entry, BodyBudget::Lease lease, ClientId client);
  // Without an answer the call is told that there was no room or, once it was handled, that it got
  // lost.
  ~PendingAnswer();
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;

  // Whether the door, the client and the connection may have one more under way: this one.
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

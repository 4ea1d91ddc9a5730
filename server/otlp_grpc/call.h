// Call: one call of the gRPC door, from its arrival to its end. It lives by itself: Await() makes the first, each that
// arrives makes the next, and each ends itself.
//
//   Await ──▶ arrived ──▶ admitted ──▶ read ──▶ handled ──▶ finished
//                └──────────┴──────────┴── refused ──────────┘
//
// Its events come from the threads of the door, one after the other but for the timeout; what it waits for may answer
// from any thread.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_builder.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "api/http.h"
#include "base/mutex.h"
#include "server/audit_log.h"
#include "server/authenticator.h"
#include "server/body_budget.h"
#include "server/otlp_grpc_stats.h"

namespace lockstep::server {

// What all calls share; outlives them.
struct GrpcDoor {
  GrpcDoor(api::Handler& handler, const WebConfig& web, AuditLog* audit,
           uint64_t max_bytes_in_flight, uint64_t max_calls, std::chrono::milliseconds timeout)
      : handler(handler),
        authenticator(web),
        audit(audit),
        budget(max_bytes_in_flight),
        max_calls(max_calls),
        message_timeout(timeout) {}

  api::Handler& handler;
  Authenticator authenticator;
  AuditLog* const audit;  // null: none is kept
  BodyBudget budget;
  const uint64_t max_calls;
  const std::chrono::milliseconds message_timeout;
  grpc::AsyncGenericService service;
  std::unique_ptr<grpc::ServerCompletionQueue> queue;

  std::atomic<uint64_t> received_bytes{0};
  // Answered, by status.
  static constexpr size_t kStatusCount = 17;
  std::array<std::atomic<uint64_t>, kStatusCount> answers{};

  // Of calls.
  void Begin();
  void End();
  uint64_t in_flight() const;
  void AwaitNone();

 private:
  mutable Mutex mutex_;
  CondVar none_;
  uint64_t in_flight_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

class Call {
 public:
  // What the door's queue gives out.
  enum class Event { kArrived, kRead, kTimeout, kFinished };
  struct Tag {
    Call* call;
    Event event;
  };

  static void Await(GrpcDoor& door);
  // The call may be gone afterwards.
  void Proceed(Event event, bool ok);

 private:
  explicit Call(GrpcDoor& door) : door_(door), stream_(&context_) {}

  void Arrived(bool ok);
  void Admit();
  Peer PeerOf() const;
  void Audit(std::string_view who, int http_status) const;
  void OnVerdict(AuthAnswer answer);
  void BeginRead();
  void OnRead(bool ok);
  void OnTimeout(bool expired);
  void Handle();
  void Answer(const api::Response& response);
  void Refuse(const grpc::Status& status);
  void Count(const grpc::Status& status);
  void Release();
  std::string_view Metadata(const char* key) const;

  GrpcDoor& door_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer message_;
  grpc::Alarm timeout_;
  // Whoever sets it to false decides what becomes of the call: the message or the timeout.
  std::atomic<bool> is_reading_{false};
  BodyBudget::Lease lease_;
  std::shared_ptr<const api::Principal> who_;
  // The call itself and its timeout.
  std::atomic<int> owners_{1};

  Tag arrived_{this, Event::kArrived};
  Tag read_{this, Event::kRead};
  Tag timed_out_{this, Event::kTimeout};
  Tag finished_{this, Event::kFinished};
};

}  // namespace lockstep::server

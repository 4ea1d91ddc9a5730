// MessageReader: reads the single message of a unary call from its stream's DATA:
//
//   1 byte   whether the message is compressed, 0 or 1
//   4 bytes  its length, big-endian
//
// Memory grows with the bytes received, not with the announced length, and is charged to the budget
// before it is allocated. Not thread-safe.
//
// Source: gRPC over HTTP2, "Length-Prefixed-Message".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/budget/client_id.h"
#include "server/limits/body_budget.h"
#include "server/otlp_grpc/grpc_status.h"

namespace lockstep::server {

class MessageReader {
 public:
  // `budget` must outlive the reader.
  MessageReader(uint64_t max_bytes, BodyBudget& budget, ClientId client)
      : max_bytes_(max_bytes),
        budget_(budget),
        client_(std::move(client)),
        lease_(budget, client_) {}

  // Also charges previous and future bytes to that credential. Returns false if the client has no
  // room for them.
  [[nodiscard]] bool SetUser(const std::string& user);

  // Adds data from the stream. Do not call it again after an error.
  GrpcStatus Add(std::string_view bytes);
  // At the end of the stream: returns an error unless the message is complete.
  GrpcStatus Finish() const;

  uint64_t received_bytes() const { return received_bytes_; }

  // Precondition: the message is complete.
  bool is_compressed() const { return prefix_[0] == 1; }
  std::string TakeMessage() { return std::move(message_); }
  BodyBudget::Lease TakeLease() { return std::move(lease_); }

 private:
  GrpcStatus ReadPrefix();
  bool MakeRoom(size_t bytes);

  const uint64_t max_bytes_;
  BodyBudget& budget_;
  ClientId client_;
  BodyBudget::Lease lease_;
  uint64_t received_bytes_ = 0;
  std::array<uint8_t, 5> prefix_{};
  size_t prefix_size_ = 0;
  uint64_t length_ = 0;
  size_t room_ = 0;  // charged to the lease
  std::string message_;
};

}  // namespace lockstep::server

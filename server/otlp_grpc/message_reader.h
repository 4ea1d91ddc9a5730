// MessageReader: the one message of a unary call, from the DATA of its stream:
//
//   1 byte   whether the message is compressed, 0 or 1
//   4 bytes  its length, big-endian
//
// Memory grows with the bytes that arrive, not with the length that is announced, and is charged to
// the budget before it is taken. Not thread-safe.
//
// Source: gRPC over HTTP2, "Length-Prefixed-Message".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/client_id.h"
#include "server/body_budget.h"
#include "server/otlp_grpc/grpc_status.h"

namespace lockstep::server {

class MessageReader {
 public:
  // The budget outlives the reader.
  MessageReader(uint64_t max_bytes, BodyBudget& budget, ClientId client)
      : max_bytes_(max_bytes),
        budget_(budget),
        client_(std::move(client)),
        lease_(budget, client_) {}

  // What has come and what comes counts for that credential too. False: the client has no room for
  // it.
  [[nodiscard]] bool SetUser(const std::string& user);

  // What follows in the stream. After an error no more may be added.
  GrpcStatus Add(std::string_view bytes);
  // The stream has ended: an error unless the message is whole.
  GrpcStatus Finish() const;

  uint64_t received_bytes() const { return received_bytes_; }

  // Once it is whole.
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
  size_t room_ = 0;  // what the lease holds
  std::string message_;
};

}  // namespace lockstep::server

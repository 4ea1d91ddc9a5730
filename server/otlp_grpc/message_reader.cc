#include "server/otlp_grpc/message_reader.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep::server {
namespace {

// The minimum allocation, even if only the first byte of a message has arrived.
constexpr size_t kMinRoomBytes = 4 << 10;

}  // namespace

bool MessageReader::SetUser(const std::string& user) {
  client_.user = user;
  lease_ = BodyBudget::Lease();
  lease_ = BodyBudget::Lease(budget_, client_);
  return lease_.Grow(room_);
}

GrpcStatus MessageReader::Add(std::string_view bytes) {
  received_bytes_ += bytes.size();
  while (prefix_size_ < prefix_.size() && !bytes.empty()) {
    prefix_[prefix_size_++] = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    if (prefix_size_ < prefix_.size()) continue;
    if (GrpcStatus status = ReadPrefix(); !status.ok()) return status;
  }
  if (bytes.empty()) return {};
  if (bytes.size() > length_ - message_.size()) {
    return {GrpcCode::kInvalidArgument, "the call contains more than one message"};
  }
  if (!MakeRoom(message_.size() + bytes.size())) return Busy("too many messages in flight");
  message_.append(bytes);
  return {};
}

GrpcStatus MessageReader::Finish() const {
  if (prefix_size_ == prefix_.size() && message_.size() == length_) return {};
  return {GrpcCode::kInvalidArgument, prefix_size_ == 0
                                          ? "the call contains no message"
                                          : "the message is shorter than its announced length"};
}

GrpcStatus MessageReader::ReadPrefix() {
  if (prefix_[0] > 1) return {GrpcCode::kInternal, "the message's first byte is neither 0 nor 1"};
  for (size_t i = 1; i < prefix_.size(); ++i) length_ = length_ << 8 | prefix_[i];
  if (length_ <= max_bytes_) return {};
  return {
      GrpcCode::kResourceExhausted,
      absl::StrFormat("the message has %d bytes, more than the limit of %d", length_, max_bytes_)};
}

bool MessageReader::MakeRoom(size_t bytes) {
  if (bytes <= room_) return true;
  const size_t room = std::min<size_t>(length_, std::max({bytes, 2 * room_, kMinRoomBytes}));
  if (!lease_.Grow(room - room_)) return false;
  room_ = room;
  message_.reserve(room);
  return true;
}

}  // namespace lockstep::server

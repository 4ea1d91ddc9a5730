#include "server/otlp_grpc/pending_answer.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "server/otlp_grpc/connection.h"

namespace lockstep::server {
namespace {

api::Response TextAnswer(int status, std::string text) {
  api::Response response;
  response.status = status;
  response.body = std::move(text);
  return response;
}

// `whose`: " of this client".
api::Response TooManyCalls(std::string_view whose) {
  api::Response response =
      TextAnswer(503, absl::StrFormat("too many concurrent calls%s; try again later", whose));
  response.headers.push_back({"Retry-After", "5"});
  return response;
}

}  // namespace

PendingAnswer::PendingAnswer(GrpcDoor& door, std::shared_ptr<Connection> connection, int32_t stream,
                             AuditEntry entry, BodyBudget::Lease lease, ClientId client)
    : door_(door),
      connection_(std::move(connection)),
      stream_(stream),
      entry_(std::move(entry)),
      lease_(std::move(lease)),
      room_(door.calls, std::move(client)),
      fallback_(TooManyCalls("")) {
  const bool connection_has_room =
      ++connection_->pending_answers() <= door.limits.http2.max_streams;
  const PoolAnswer of_door = room_.Grow(1);
  has_room_ = connection_has_room && of_door == PoolAnswer::kTaken;
  if (of_door == PoolAnswer::kOverShare) fallback_ = TooManyCalls(" of this client");
}

PendingAnswer::~PendingAnswer() {
  if (connection_ != nullptr) Send(std::move(fallback_));
}

void PendingAnswer::OnHandled() {
  fallback_ = TextAnswer(500, "the call was dropped without an answer");
}

void PendingAnswer::Send(api::Response response) {
  lease_ = BodyBudget::Lease();
  if (door_.audit != nullptr) {
    entry_.status = response.status;
    door_.audit->Add(entry_);
  }
  --connection_->pending_answers();
  room_ = FairPool::Claim();
  Connection::WithCall(
      std::move(connection_), stream_,
      [response = std::move(response)](Call& call) mutable { call.OnAnswer(std::move(response)); });
}

}  // namespace lockstep::server

#include "server/otlp_grpc/pending_answer.h"

#include <utility>

#include "server/otlp_grpc/connection.h"

namespace lockstep::server {
namespace {

api::Response TextAnswer(int status, const char* text) {
  api::Response response;
  response.status = status;
  response.body = text;
  return response;
}

api::Response TooManyCalls() {
  api::Response response = TextAnswer(503, "too many calls at once");
  response.headers.push_back({"Retry-After", "5"});
  return response;
}

}  // namespace

PendingAnswer::PendingAnswer(GrpcDoor& door, std::shared_ptr<Connection> connection, int32_t stream,
                             AuditEntry entry, BodyBudget::Lease lease)
    : door_(door),
      connection_(std::move(connection)),
      stream_(stream),
      entry_(std::move(entry)),
      lease_(std::move(lease)),
      fallback_(TooManyCalls()) {
  const bool connection_has_room =
      ++connection_->pending_answers() <= door.limits.http2.max_streams;
  const bool door_has_room = ++door.counters.calls_in_flight <= door.limits.max_calls;
  has_room_ = connection_has_room && door_has_room;
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
  --door_.counters.calls_in_flight;
  Connection::WithCall(
      std::move(connection_), stream_,
      [response = std::move(response)](Call& call) mutable { call.OnAnswer(std::move(response)); });
}

}  // namespace lockstep::server

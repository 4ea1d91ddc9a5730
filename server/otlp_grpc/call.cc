#include "server/otlp_grpc/call.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "server/otlp_grpc/answer.h"

namespace lockstep::server {
namespace {

constexpr std::string_view kExport =
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
// Where the handler takes the same by HTTP.
constexpr const char* kHttpPath = "/v1/metrics";
constexpr int64_t kRetryAfterSeconds = 5;

grpc::Status Busy(const std::string& why) {
  return ComeAgain(grpc::StatusCode::UNAVAILABLE, why, kRetryAfterSeconds);
}

std::string BytesOf(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!message.Dump(&slices).ok()) return bytes;
  bytes.reserve(message.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

// Messages arrive as they were sent. No request begins as these formats do: 0x1f is no tag, and the field of 0x78
// is not there.
std::string_view EncodingOf(std::string_view message) {
  if (message.starts_with("\x1f\x8b")) return "gzip";
  const bool is_zlib = message.size() >= 2 && message[0] == '\x78' &&
                       (0x7800 | static_cast<uint8_t>(message[1])) % 31 == 0;
  return is_zlib ? "deflate" : "";
}

}  // namespace

void GrpcDoor::Begin() {
  MutexLock lock(mutex_);
  ++in_flight_;
}

void GrpcDoor::End() {
  MutexLock lock(mutex_);
  // Notified under the lock: the door may be gone as soon as it is released.
  if (--in_flight_ == 0) none_.NotifyAll();
}

uint64_t GrpcDoor::in_flight() const {
  MutexLock lock(mutex_);
  return in_flight_;
}

void GrpcDoor::AwaitNone() {
  MutexLock lock(mutex_);
  while (in_flight_ > 0) none_.Wait(mutex_);
}

void Call::Await(GrpcDoor& door) {
  auto* const call = new Call(door);
  door.service.RequestCall(&call->context_, &call->stream_, door.queue.get(), door.queue.get(),
                           &call->arrived_);
}

void Call::Proceed(Event event, bool ok) {
  switch (event) {
    case Event::kArrived:
      return Arrived(ok);
    case Event::kRead:
      return OnRead(ok);
    case Event::kTimeout:
      return OnTimeout(ok);
    case Event::kFinished:
      door_.End();
      return Release();
  }
}

void Call::Release() {
  if (owners_.fetch_sub(1) == 1) delete this;
}

void Call::Arrived(bool ok) {
  // The server shuts down.
  if (!ok) return Release();
  door_.Begin();
  Await(door_);
  if (door_.in_flight() > door_.max_calls) return Refuse(Busy("too many calls at once"));
  if (context_.method() != kExport) {
    return Refuse({grpc::StatusCode::UNIMPLEMENTED,
                   "this server has the metrics service of OTLP alone, not " + context_.method()});
  }
  Admit();
}

std::string_view Call::Metadata(const char* key) const {
  const auto found = context_.client_metadata().find(key);
  if (found == context_.client_metadata().end()) return "";
  return {found->second.data(), found->second.size()};
}

void Call::Admit() {
  auto answer = door_.authenticator.Check(
      Metadata("authorization"), PeerOf(),
      [this](AuthAnswer late_answer) { OnVerdict(std::move(late_answer)); });
  if (answer.has_value()) OnVerdict(*std::move(answer));
}

// Certificates that are not verified are no credentials: the web configuration gives them no roles.
Peer Call::PeerOf() const {
  Peer peer{context_.peer()};
  const std::shared_ptr<const grpc::AuthContext> transport = context_.auth_context();
  if (transport == nullptr || !transport->IsPeerAuthenticated()) return peer;
  auto names = std::make_shared<CertificateNames>();
  for (const grpc::string_ref& subject : transport->FindPropertyValues("x509_subject")) {
    names->subject.assign(subject.data(), subject.size());
  }
  for (const grpc::string_ref& san :
       transport->FindPropertyValues("x509_subject_alternative_name")) {
    names->sans.emplace_back(san.data(), san.size());
  }
  peer.certificate = std::move(names);
  return peer;
}

void Call::OnVerdict(AuthAnswer answer) {
  const api::Role role = door_.handler.RoleFor(kHttpPath);
  switch (answer.verdict) {
    case AuthVerdict::kGranted:
      if (!answer.who->grant.roles.Allows(role)) {
        Audit(answer.who->name, 403);
        return Refuse({grpc::StatusCode::PERMISSION_DENIED,
                       absl::StrFormat("\"%s\" does not have the role %s", answer.who->name,
                                       api::Name(role))});
      }
      who_ = std::move(answer.who);
      return BeginRead();
    case AuthVerdict::kDenied:
      Audit("", 401);
      return Refuse({grpc::StatusCode::UNAUTHENTICATED, "Unauthorized"});
    case AuthVerdict::kOverloaded:
      return Refuse(Busy("too many passwords are waiting to be checked"));
  }
}

void Call::BeginRead() {
  is_reading_ = true;
  ++owners_;
  timeout_.Set(door_.queue.get(), std::chrono::system_clock::now() + door_.message_timeout,
               &timed_out_);
  stream_.Read(&message_, &read_);
}

void Call::OnTimeout(bool expired) {
  // Cancelled, the call is told by its read that there is no message.
  if (expired && is_reading_.exchange(false)) context_.TryCancel();
  Release();
}

void Call::OnRead(bool ok) {
  if (!is_reading_.exchange(false)) {
    return Refuse({grpc::StatusCode::DEADLINE_EXCEEDED, "the message took too long"});
  }
  timeout_.Cancel();
  if (!ok) return Refuse({grpc::StatusCode::INVALID_ARGUMENT, "the call has no message"});
  door_.received_bytes += message_.Length();
  lease_ = BodyBudget::Lease(door_.budget);
  if (!lease_.Grow(message_.Length())) return Refuse(Busy("too much is under way at once"));
  Handle();
}

void Call::Handle() {
  api::Request request;
  request.method = "POST";
  request.target = kHttpPath;
  request.headers.push_back({"Content-Type", "application/x-protobuf"});
  request.body = BytesOf(message_);
  message_.Clear();
  if (const std::string_view encoding = EncodingOf(request.body); !encoding.empty()) {
    request.headers.push_back({"Content-Encoding", std::string(encoding)});
  }
  request.remote_address = context_.peer();
  request.user = who_->name;
  request.jobs = who_->grant.jobs;
  request.cancel = std::make_shared<api::CancelSignal>();
  door_.handler.Handle(std::move(request),
                       [this](const api::Response& response) { Answer(response); });
}

void Call::Audit(std::string_view who, int http_status) const {
  if (door_.audit == nullptr) return;
  door_.audit->Add({std::string(who), context_.peer(), "GRPC", kHttpPath, http_status});
}

void Call::Answer(const api::Response& response) {
  Audit(who_->name, response.status);
  lease_ = BodyBudget::Lease();
  const grpc::Status status = StatusOf(response);
  if (!status.ok()) return Refuse(status);
  Count(status);
  const grpc::Slice slice(response.body);
  stream_.WriteAndFinish(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), status, &finished_);
}

void Call::Refuse(const grpc::Status& status) {
  Count(status);
  stream_.Finish(status, &finished_);
}

void Call::Count(const grpc::Status& status) {
  const auto code = static_cast<size_t>(status.error_code());
  ++door_.answers[std::min(code, GrpcDoor::kStatusCount - 1)];
}

}  // namespace lockstep::server

#include "server/otlp_grpc/call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/http/tenant_access.h"
#include "base/budget/client_id.h"
#include "server/otlp_grpc/connection.h"
#include "server/otlp_grpc/pending_answer.h"

namespace lockstep::server {
namespace {

constexpr std::string_view kExport =
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
// The handler's HTTP path for the same data.
constexpr const char* kHttpPath = "/v1/metrics";
constexpr std::string_view kContentType = "application/grpc";
constexpr size_t kPrefixBytes = 5;
constexpr size_t kMaxEncodingBytes = 32;
// One more than the maximum length of a tenant name.
constexpr size_t kMaxTenantBytes = 151;

// The names that Content-Encoding also uses.
bool IsKnownEncoding(std::string_view encoding) {
  return encoding == "gzip" || encoding == "deflate" || encoding == "zstd";
}

std::vector<api::Header> AnswerHead(int http_status) {
  return {{":status", absl::StrFormat("%d", http_status)},
          {"content-type", std::string(kContentType)},
          {"grpc-accept-encoding", "identity,deflate,gzip,zstd"}};
}

// An uncompressed message with its prefix.
std::string Framed(std::string_view message) {
  std::string framed(kPrefixBytes, '\0');
  for (size_t i = 1; i < kPrefixBytes; ++i) {
    framed[i] = static_cast<char>(message.size() >> (8 * (kPrefixBytes - 1 - i)) & 0xff);
  }
  return framed.append(message);
}

bool IsGrpc(std::string_view content_type) {
  if (!content_type.starts_with(kContentType)) return false;
  content_type.remove_prefix(kContentType.size());
  return content_type.empty() || content_type.front() == '+' || content_type.front() == ';';
}

}  // namespace

Call::Call(Connection& connection, GrpcDoor& door, int32_t stream, Time now)
    : connection_(connection),
      door_(door),
      stream_(stream),
      begun_at_(now),
      reader_(door.limits.max_message_bytes, door.budget,
              {.network = NetworkOfAddress(connection.peer().address), .user = ""}) {}

Call::~Call() {
  if (state_ == State::kHandling) cancel_->Fire();
}

void Call::Begin(CallHead head) {
  if (head.method != "POST" || !IsGrpc(head.content_type)) {
    state_ = State::kAnswered;
    answered_at_ = begun_at_;
    return connection_.http2().Refuse(stream_,
                                      {{":status", head.method == "POST" ? "415" : "405"}});
  }
  if (head.is_too_large) {
    return Refuse({GrpcCode::kResourceExhausted,
                   absl::StrFormat("the metadata is larger than the limit of %d bytes",
                                   door_.limits.http2.max_header_list_bytes)});
  }
  if (head.path != kExport) {
    return Refuse({GrpcCode::kUnimplemented,
                   "this server only supports the OTLP metrics service, not " + head.path});
  }
  // Kept for the duration of the call without being charged, so an invalid value is not echoed in
  // full.
  message_encoding_ = head.message_encoding.substr(0, kMaxEncodingBytes);
  tenants_ = head.tenants.substr(0, kMaxTenantBytes);
  Admit(head.authorization);
}

void Call::Admit(std::string_view authorization) {
  std::optional<AuthAnswer> answer = door_.authenticator.Check(
      authorization, connection_.peer(),
      [connection = connection_.shared_from_this(), stream = stream_](AuthAnswer late) mutable {
        Connection::WithCall(
            std::move(connection), stream,
            [late = std::move(late)](Call& call) mutable { call.OnVerdict(std::move(late)); });
      });
  if (answer.has_value()) OnVerdict(*std::move(answer));
}

void Call::OnVerdict(AuthAnswer answer) {
  if (state_ != State::kAdmission) return;
  const api::Role role = door_.handler.RoleFor("POST", kHttpPath);
  switch (answer.verdict) {
    case AuthVerdict::kGranted:
      if (!answer.who->grant.roles.Allows(role)) {
        Audit(*answer.who, 403);
        return Refuse(
            {GrpcCode::kPermissionDenied, absl::StrFormat("\"%s\" does not have the role %s",
                                                          answer.who->name, api::Name(role))});
      }
      who_ = std::move(answer.who);
      state_ = State::kMessage;
      connection_.OnCallLetIn();
      if (!reader_.SetUser(who_->name)) return Refuse(Busy("too many messages in flight"));
      connection_.http2().Consume(stream_, std::exchange(unconsumed_bytes_, 0));
      return Advance();
    case AuthVerdict::kDenied:
      Audit({}, 401);
      return Refuse({GrpcCode::kUnauthenticated, "Unauthorized"});
    case AuthVerdict::kOverloaded:
      return Refuse(Busy("too many password checks are queued"));
  }
}

void Call::Add(std::string_view bytes) {
  if (state_ != State::kAdmission && state_ != State::kMessage) return;
  if (const GrpcStatus status = reader_.Add(bytes); !status.ok()) return Refuse(status);
  if (state_ == State::kMessage) {
    connection_.http2().Consume(stream_, bytes.size());
  } else {
    unconsumed_bytes_ += bytes.size();
  }
}

void Call::OnRequestEnd() {
  has_ended_ = true;
  if (state_ == State::kMessage) Advance();
}

void Call::Advance() {
  if (!has_ended_) return;
  if (const GrpcStatus status = reader_.Finish(); !status.ok()) return Refuse(status);
  if (reader_.is_compressed() && !IsKnownEncoding(message_encoding_)) {
    const bool is_plain = message_encoding_.empty() || message_encoding_ == "identity";
    return Refuse(
        is_plain ? GrpcStatus{GrpcCode::kInternal,
                              "the message is compressed, but its encoding is not given"}
                 : GrpcStatus{GrpcCode::kUnimplemented,
                              "unsupported message encoding; expected gzip, deflate or zstd, not " +
                                  message_encoding_});
  }
  Handle();
}

std::optional<Call::Time> Call::deadline() const {
  const GrpcLimits& limits = door_.limits;
  switch (state_) {
    case State::kAdmission:
    case State::kMessage: {
      const std::chrono::milliseconds at_lowest_rate(1000 * reader_.received_bytes() /
                                                     limits.min_message_bytes_per_second);
      return begun_at_ + std::min(limits.message_timeout, limits.message_pause + at_lowest_rate);
    }
    case State::kHandling:
      return std::nullopt;
    case State::kAnswered:
      return answered_at_ + limits.write_timeout;
  }
  return std::nullopt;
}

void Call::Expire() {
  if (state_ == State::kAnswered) {
    answered_at_ = connection_.now();
    return connection_.http2().Reset(stream_);
  }
  Refuse({GrpcCode::kDeadlineExceeded, "the message arrived too slowly"});
}

api::Request Call::RequestOf() {
  api::Request request;
  request.method = "POST";
  request.target = kHttpPath;
  request.headers.push_back({"Content-Type", "application/x-protobuf"});
  if (reader_.is_compressed()) request.headers.push_back({"Content-Encoding", message_encoding_});
  if (!tenants_.empty()) request.headers.push_back({std::string(api::kTenantHeader), tenants_});
  request.body = reader_.TakeMessage();
  request.remote_address = connection_.peer().address;
  request.user = who_->name;
  request.grant = who_->grant;
  request.cancel = cancel_;
  return request;
}

void Call::Handle() {
  state_ = State::kHandling;
  cancel_ = std::make_shared<api::CancelSignal>();
  connection_.OnWholeCall();
  api::Request request = RequestOf();
  door_.counters.received_bytes += request.body.size();
  auto answer = std::make_unique<PendingAnswer>(door_, connection_.shared_from_this(), stream_,
                                                AuditEntryOf(*who_), reader_.TakeLease(),
                                                api::ClientOf(request));
  // Without an answer, the destructor reports what was full.
  if (!answer->has_room()) return;
  const ClientId client = api::ClientOf(request);
  const bool is_taken =
      door_.workers.TrySubmit(client, [&handler = door_.handler, request = std::move(request),
                                       answer = std::move(answer)]() mutable {
        answer->OnHandled();
        handler.Handle(std::move(request), [answer = std::move(answer)](api::Response response) {
          answer->Send(std::move(response));
        });
      });
  static_cast<void>(is_taken);
}

void Call::OnAnswer(api::Response response) {
  const GrpcStatus status = StatusOf(response);
  if (!status.ok()) return Refuse(status);
  Answer(status, std::move(response.body));
}

void Call::Answer(const GrpcStatus& status, std::string body) {
  state_ = State::kAnswered;
  answered_at_ = connection_.now();
  Count(status);
  connection_.http2().Answer(stream_, AnswerHead(200), Framed(body), TrailersOf(status));
}

void Call::Refuse(const GrpcStatus& status) {
  state_ = State::kAnswered;
  answered_at_ = connection_.now();
  Count(status);
  std::vector<api::Header> fields = AnswerHead(200);
  for (api::Header& trailer : TrailersOf(status)) fields.push_back(std::move(trailer));
  connection_.http2().Refuse(stream_, fields);
}

AuditEntry Call::AuditEntryOf(const api::Principal& who) const {
  return {who.name, connection_.peer().address, "GRPC", kHttpPath,
          api::TenantsForLogs(tenants_, who.grant)};
}

void Call::Audit(const api::Principal& who, int http_status) const {
  if (door_.audit == nullptr) return;
  AuditEntry entry = AuditEntryOf(who);
  entry.status = http_status;
  door_.audit->Add(entry);
}

void Call::Count(const GrpcStatus& status) const {
  ++door_.counters.answers[static_cast<size_t>(status.code)];
}

}  // namespace lockstep::server

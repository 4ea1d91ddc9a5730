// GrpcTestClient: a blocking gRPC client for tests, over nghttp2's client side. One call at a time.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "server/socket/raw_client.h"

namespace lockstep::server {

// The result of a call as the client sees it.
struct GrpcReply {
  std::map<std::string, std::string> fields;  // header and trailers combined
  std::string body;                           // with the message's prefix
  bool is_closed = false;                     // by the server
  uint32_t stream_error = 0;                  // HTTP/2 error code
  bool is_going_away = false;                 // the connection is closing
  uint32_t connection_error = 0;

  // -1 if there was none.
  int status() const {
    const auto found = fields.find("grpc-status");
    return found == fields.end() ? -1 : std::atoi(found->second.c_str());
  }
  // As sent over the wire.
  std::string message() const {
    const auto found = fields.find("grpc-message");
    return found == fields.end() ? "" : found->second;
  }
  std::string details() const {
    const auto found = fields.find("grpc-status-details-bin");
    std::string decoded;
    if (found != fields.end()) absl::Base64Unescape(found->second, &decoded);
    return decoded;
  }
};

struct GrpcRequest {
  std::string path = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
  std::string method = "POST";
  std::map<std::string, std::string> fields = {{"content-type", "application/grpc"},
                                               {"te", "trailers"}};
  std::string data;  // with the message's prefix
  bool ends = true;  // if false, the stream stays open
};

// A message with its prefix.
inline std::string GrpcData(std::string_view message, bool is_compressed = false) {
  std::string data(1, is_compressed ? '\1' : '\0');
  for (const int shift : {24, 16, 8, 0}) data += static_cast<char>(message.size() >> shift & 0xff);
  return data.append(message);
}

class GrpcTestClient {
 public:
  // `address` is "127.0.0.1:PORT".
  explicit GrpcTestClient(const std::string& address) : socket_("http://" + address) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_client_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~GrpcTestClient() { nghttp2_session_del(session_); }
  GrpcTestClient(const GrpcTestClient&) = delete;
  GrpcTestClient& operator=(const GrpcTestClient&) = delete;

  // Returns the stream ID.
  int32_t Begin(const GrpcRequest& request) {
    std::map<std::string, std::string> fields = request.fields;
    fields.insert({{":method", request.method},
                   {":scheme", "http"},
                   {":path", request.path},
                   {":authority", "test"}});
    std::vector<nghttp2_nv> head;
    for (const auto& [name, value] : fields) {
      head.push_back({Bytes(name), Bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    data_ = request.data;
    data_ends_ = request.ends;
    nghttp2_data_provider provider = {};
    provider.read_callback = ReadData;
    const int32_t stream =
        nghttp2_submit_request(session_, nullptr, head.data(), head.size(), &provider, nullptr);
    Flush();
    return stream;
  }

  // Waits until the stream or the connection ends.
  GrpcReply Await() {
    while (!reply_.is_closed && !reply_.is_going_away && Receive()) {
    }
    return std::exchange(reply_, {});
  }

  GrpcReply Call(const GrpcRequest& request) {
    Begin(request);
    return Await();
  }

  void Reset(int32_t stream) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
    Flush();
  }

  // Whether the server closes the connection, whatever it sends first.
  bool AwaitEnd() {
    while (Receive()) {
    }
    return !socket_.timed_out();
  }

 private:
  static GrpcTestClient& Of(void* client) { return *static_cast<GrpcTestClient*>(client); }
  static uint8_t* Bytes(const std::string& text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  }
  static int OnHeader(nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* client) {
    Of(client).reply_.fields[std::string(name, name + name_size)] =
        std::string(value, value + value_size);
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size,
                    void* client) {
    Of(client).reply_.body.append(bytes, bytes + size);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t, uint32_t error, void* client) {
    Of(client).reply_.is_closed = true;
    Of(client).reply_.stream_error = error;
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* client) {
    if (frame->hd.type != NGHTTP2_GOAWAY) return 0;
    Of(client).reply_.is_going_away = true;
    Of(client).reply_.connection_error = frame->goaway.error_code;
    return 0;
  }
  static ssize_t ReadData(nghttp2_session*, int32_t, uint8_t* out, size_t room, uint32_t* flags,
                          nghttp2_data_source*, void* user) {
    GrpcTestClient& client = Of(user);
    if (client.data_.empty() && !client.data_ends_) return NGHTTP2_ERR_DEFERRED;
    const size_t size = client.data_.copy(reinterpret_cast<char*>(out), room);
    client.data_.erase(0, size);
    if (client.data_.empty() && client.data_ends_) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  void Flush() {
    // Send all frames in one packet, because the system may delay a second one.
    std::string frames;
    const uint8_t* bytes = nullptr;
    for (ssize_t size = 1; size > 0;) {
      size = nghttp2_session_mem_send(session_, &bytes);
      if (size > 0) frames.append(bytes, bytes + size);
    }
    socket_.Send(frames);
  }

  // Returns false at the end of the stream.
  bool Receive() {
    const std::string bytes = socket_.ReceiveAny();
    if (bytes.empty()) return false;
    nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()),
                             bytes.size());
    Flush();
    return true;
  }

  RawClient socket_;
  nghttp2_session* session_ = nullptr;
  std::string data_;  // of the request being sent
  bool data_ends_ = true;
  GrpcReply reply_;
};

}  // namespace lockstep::server

// RawClient: a blocking socket for tests that control the exact bytes sent.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace lockstep::server {

struct RawResponse {
  int status = 0;
  std::string head;  // includes the status line
  std::string body;
};

class RawClient {
 public:
  // `url` is "http://127.0.0.1:PORT".
  explicit RawClient(const std::string& url) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1)));
    LOCKSTEP_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    // If the server never responds, the test fails instead of hanging.
    const timeval timeout = {30, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  }
  ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Returns false once the other side has closed the connection.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  // Receives one response: with a Content-Length, in chunks, or without a body. The status is 0 at
  // the end of the stream, even if it is premature.
  RawResponse Receive(bool head_only = false) {
    RawResponse response;
    size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return response;
    }
    response.head = buffer_.substr(0, end + 4);
    buffer_.erase(0, end + 4);
    response.status = std::atoi(response.head.c_str() + 9);
    if (head_only) return response;
    if (response.head.find("Transfer-Encoding: chunked\r\n") != std::string::npos) {
      return ReceiveChunks(response.body) ? response : RawResponse();
    }
    const size_t length_at = response.head.find("Content-Length: ");
    if (length_at == std::string::npos) return response;
    const size_t length = std::strtoull(response.head.c_str() + length_at + 16, nullptr, 10);
    return Take(length, response.body) ? response : RawResponse();
  }

  // Receives this many bytes of the stream, or everything until its end.
  std::string ReceiveSome(size_t count) {
    std::string bytes;
    return Take(count, bytes) ? bytes : std::exchange(buffer_, "");
  }

  // Receives the next bytes; "" at the end of the stream.
  std::string ReceiveAny() {
    if (buffer_.empty()) Fill();
    return std::exchange(buffer_, "");
  }

  // Receives everything until the server closes the connection.
  std::string ReceiveAll() {
    while (Fill()) {
    }
    return std::exchange(buffer_, "");
  }

  // Whether the server closes the connection without sending another byte.
  bool AtEnd() { return buffer_.empty() && !Fill() && buffer_.empty(); }

  // Whether receiving stopped because of a timeout rather than the end of the stream.
  bool timed_out() const { return timed_out_; }

  void FinishSending() { shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  // Appends this many bytes of the stream.
  bool Take(size_t count, std::string& out) {
    while (buffer_.size() < count) {
      if (!Fill()) return false;
    }
    out.append(buffer_, 0, count);
    buffer_.erase(0, count);
    return true;
  }

  bool ReceiveChunks(std::string& body) {
    for (;;) {
      size_t end = std::string::npos;
      while ((end = buffer_.find("\r\n")) == std::string::npos) {
        if (!Fill()) return false;
      }
      const size_t length = std::strtoull(buffer_.c_str(), nullptr, 16);
      buffer_.erase(0, end + 2);
      std::string line_end;
      if (!Take(length, body) || !Take(2, line_end) || line_end != "\r\n") return false;
      if (length == 0) return true;
    }
  }

  bool Fill() {
    char bytes[16 << 10];
    const ssize_t received = recv(fd_, bytes, sizeof(bytes), 0);
    timed_out_ = received < 0 && errno == EAGAIN;
    if (received <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(received));
    return true;
  }

  int fd_;
  bool timed_out_ = false;
  std::string buffer_;
};

}  // namespace lockstep::server

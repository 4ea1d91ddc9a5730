// AnsweringServer: an HTTP server on a free local port that returns what a test specifies. Handles
// one connection at a time and closes it after the response. Only for tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace lockstep {

class AnsweringServer {
 public:
  // Takes a request with head and body and returns the response with its status line; called on the
  // server's thread. An empty response closes the connection.
  using Answer = std::function<std::string(std::string_view request)>;

  explicit AnsweringServer(Answer answer)
      : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    Must(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    Must(listen(listener_, 16) == 0);
    Must(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  ~AnsweringServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  AnsweringServer(const AnsweringServer&) = delete;
  AnsweringServer& operator=(const AnsweringServer&) = delete;

  // "127.0.0.1:PORT"
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  static std::string Page(std::string_view status, std::string_view body,
                          std::string_view type = "text/plain") {
    return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + std::string(type) +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
           std::string(body);
  }
  static std::string_view BodyOf(std::string_view request) {
    return request.substr(request.find("\r\n\r\n") + 4);
  }

 private:
  static void Must(bool is_done) {
    if (!is_done) std::abort();
  }

  void Run() {
    while (true) {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      const std::string answer = answer_(Receive(client));
      std::string_view left = answer;
      while (!left.empty()) {
        const ssize_t sent = send(client, left.data(), left.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        left.remove_prefix(static_cast<size_t>(sent));
      }
      close(client);
    }
  }

  static std::string Receive(int client) {
    std::string request;
    char buffer[4096];
    while (!IsWhole(request)) {
      const ssize_t got = recv(client, buffer, sizeof(buffer), 0);
      if (got <= 0) break;
      request.append(buffer, static_cast<size_t>(got));
    }
    return request;
  }

  // Anything that is not HTTP, such as TLS, counts as complete.
  static bool IsWhole(std::string_view request) {
    if (!request.empty() && (request[0] < 'A' || request[0] > 'Z')) return true;
    const size_t end = request.find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    const size_t length = request.find("Content-Length: ");
    if (length == std::string_view::npos || length > end) return true;
    return request.size() - end - 4 >= std::strtoull(request.data() + length + 16, nullptr, 10);
  }

  const Answer answer_;
  const int listener_;
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace lockstep

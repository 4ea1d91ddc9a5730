// Shared by the server's tests: a handler whose behaviour depends on the path, and a server that
// uses it.
#pragma once

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/http/http.h"
#include "base/mutex.h"
#include "server/http_server.h"
#include "server/socket/raw_client.h"

namespace lockstep::server {

// Bodies in parts: "begin", then `part_count` parts of 100,000 letters, with the next letter each
// time; an error replaces the last part if it `fails`.
class Parts final : public api::BodySource {
 public:
  explicit Parts(int part_count, bool fails = false) : part_count_(part_count), fails_(fails) {}

  absl::StatusOr<bool> Next(std::string& out) override {
    const bool is_last = ++made_ == part_count_;
    if (is_last && fails_) return absl::DataLossError("the rest is gone");
    out.append(100'000, static_cast<char>('a' + made_ % 26));
    return !is_last;
  }

  static std::string Text(int part_count) {
    std::string text = "begin";
    for (int i = 1; i <= part_count; ++i) text.append(100'000, static_cast<char>('a' + i % 26));
    return text;
  }

 private:
  const int part_count_;
  const bool fails_;
  int made_ = 0;
};

// Responds by path:
//   /echo   "METHOD TARGET BODY"      /drop  never responds
//   /big    100,000 letters       /parts, /parts_cut, /parts_endless  a body of Parts
//   /hold   when ReleaseAll() is called, on another thread
//   /queue  like /echo, and may be called without a worker
class TestHandler final : public api::Handler {
 public:
  void Handle(api::Request request, api::Respond respond) override {
    if (request.path() == "/hold") return Hold(std::move(request), std::move(respond));
    if (request.path() == "/drop") return;
    api::Response response;
    if (request.path().starts_with("/parts")) {
      response.body = "begin";
      const bool is_endless = request.path() == "/parts_endless";
      response.rest = std::make_unique<Parts>(is_endless ? -1 : 9, request.path() == "/parts_cut");
      response.place = place_;
      return respond(std::move(response));
    }
    response.body = request.path() == "/big"
                        ? std::string(100'000, 'a')
                        : absl::StrFormat("%s %s %s", request.method, request.target, request.body);
    respond(std::move(response));
  }

  bool OnlyQueues(const api::Request& request) const override { return request.path() == "/queue"; }

  api::Role RoleFor(std::string_view /*method*/, std::string_view path) const override {
    if (path == "/health") return api::Role::kNone;
    return path == "/write" ? api::Role::kWrite : api::Role::kRead;
  }

  // Waits until `count` requests are held.
  void AwaitHeld(size_t count) {
    MutexLock lock(mutex_);
    while (held_.size() < count) changed_.Wait(mutex_);
  }
  void AwaitCancelled() {
    MutexLock lock(mutex_);
    while (!cancelled_) changed_.Wait(mutex_);
  }
  // Whether a response in parts is in progress or waiting for its client.
  bool place_taken() const { return place_.use_count() > 1; }
  void ReleaseAll(const std::string& body = "released") {
    std::vector<api::Respond> held;
    {
      MutexLock lock(mutex_);
      held.swap(held_);
    }
    for (api::Respond& respond : held) {
      api::Response response;
      response.body = body;
      respond(std::move(response));
    }
  }

 private:
  void Hold(api::Request request, api::Respond respond) {
    request.cancel->Subscribe([this] {
      MutexLock lock(mutex_);
      cancelled_ = true;
      changed_.NotifyAll();
    });
    MutexLock lock(mutex_);
    signals_.push_back(request.cancel);
    held_.push_back(std::move(respond));
    changed_.NotifyAll();
  }

  Mutex mutex_;
  CondVar changed_;
  std::vector<api::Respond> held_;
  std::vector<std::shared_ptr<api::CancelSignal>> signals_;
  bool cancelled_ = false;
  const std::shared_ptr<const void> place_ = std::make_shared<int>();
};

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() { options_.port = 0; }

  void Start() {
    auto server = HttpServer::Start(options_, handler_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // Sends `bytes` on a new connection and returns the first response.
  RawResponse Ask(std::string_view bytes) {
    RawClient client(server_->url());
    client.Send(bytes);
    return client.Receive();
  }

  HttpServerOptions options_;
  TestHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

// A request with a token unless it is "".
inline std::string WithToken(std::string_view method, std::string_view path,
                             std::string_view token) {
  return absl::StrFormat("%s %s HTTP/1.1\r\nHost: x\r\n%s%s%s\r\n", method, path,
                         token.empty() ? "" : "Authorization: Bearer ", token,
                         token.empty() ? "" : "\r\n");
}

inline BearerToken TokenOf(std::string_view text, std::initializer_list<api::Role> roles) {
  BearerToken token{std::string(text), {}, {.roles = api::RoleSet()}};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), token.digest.data());
  for (const api::Role role : roles) token.grant.roles.Add(role);
  return token;
}

}  // namespace lockstep::server

// For tests: a server in this process that gives prepared answers and remembers the requests.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/http.h"
#include "base/mutex.h"
#include "cli/client/http_client.h"
#include "server/http_server.h"

namespace lockstep::cli {

class FakeServer final : private api::Handler {
 public:
  struct Reply {
    std::string body;
    int status = 200;
    std::vector<api::Header> headers{};
    std::string content_type = "application/json";
  };

  FakeServer() {
    server::HttpServerOptions options;
    options.port = 0;
    options.io_threads = 1;
    options.worker_threads = 1;
    auto server = server::HttpServer::Start(options, *this);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  const std::string& url() const { return server_->url(); }
  HttpClientOptions options() const {
    HttpClientOptions options;
    options.url = url();
    return options;
  }

  // The next reply to requests for `path`. The last one prepared is given again and again; a path
  // without any is answered with 404.
  void Prepare(const std::string& path, Reply reply) {
    const MutexLock lock(mutex_);
    replies_[path].push_back(std::move(reply));
  }
  void Prepare(const std::string& path, std::string body) { Prepare(path, Reply{std::move(body)}); }
  // The same, as the data of an API response.
  void PrepareData(const std::string& path, const std::string& data) {
    Prepare(path, R"({"status":"success","data":)" + data + "}");
  }

  // All requests so far.
  std::vector<api::Request> requests() const {
    const MutexLock lock(mutex_);
    return requests_;
  }
  // All requests so far: "POST /api/v1/query query=up".
  std::vector<std::string> asked() const {
    std::vector<std::string> asked;
    for (const api::Request& request : requests()) {
      asked.push_back(request.method + " " + request.target +
                      (request.body.empty() ? "" : " " + request.body));
    }
    return asked;
  }
  // The bodies of the requests for `path`.
  std::vector<std::string> bodies(std::string_view path) const {
    std::vector<std::string> bodies;
    for (const api::Request& request : requests()) {
      if (request.path() == path) bodies.push_back(request.body);
    }
    return bodies;
  }

 private:
  void Handle(api::Request request, api::Respond respond) override {
    respond(ResponseTo(std::move(request)));
  }
  api::Response ResponseTo(api::Request request) {
    const MutexLock lock(mutex_);
    std::deque<Reply>& replies = replies_[std::string(request.path())];
    requests_.push_back(std::move(request));
    api::Response response;
    response.status = 404;
    if (replies.empty()) return response;
    const Reply reply = replies.front();
    if (replies.size() > 1) replies.pop_front();
    response.status = reply.status;
    response.content_type = reply.content_type;
    response.headers = reply.headers;
    response.body = reply.body;
    return response;
  }
  api::Role RoleFor(std::string_view, std::string_view) const override { return api::Role::kNone; }

  mutable Mutex mutex_;
  std::map<std::string, std::deque<Reply>> replies_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<api::Request> requests_ LOCKSTEP_GUARDED_BY(mutex_);
  // The last member, because its threads use the others.
  std::unique_ptr<server::HttpServer> server_;
};

}  // namespace lockstep::cli

// ScriptedServer: an HTTP server that gives the answers of a test in turn, the last one again and
// again, and keeps the requests. Only for tests. Thread-safe.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "tests/support/answering_server.h"

namespace lockstep {

class ScriptedServer {
 public:
  // Begins anew with these answers, each a whole response. There must be one.
  void SetAnswers(std::vector<std::string> answers) {
    const MutexLock lock(mutex_);
    answers_ = std::move(answers);
    requests_.clear();
  }
  void SetPages(const std::vector<std::string>& bodies) {
    std::vector<std::string> answers;
    for (const std::string& body : bodies) answers.push_back(Ok(body));
    SetAnswers(std::move(answers));
  }

  std::vector<std::string> requests() const {
    const MutexLock lock(mutex_);
    return requests_;
  }
  // The first lines of the requests, without the version: "GET /metrics".
  std::vector<std::string> targets() const {
    std::vector<std::string> targets;
    for (const std::string& request : requests()) {
      targets.push_back(request.substr(0, request.find(" HTTP/")));
    }
    return targets;
  }

  std::string address() const { return server_.address(); }
  std::string url() const { return "http://" + address(); }

  static std::string Ok(std::string_view body) { return AnsweringServer::Page("200 OK", body); }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> answers_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ LOCKSTEP_GUARDED_BY(mutex_);
  AnsweringServer server_{[this](std::string_view request) {
    const MutexLock lock(mutex_);
    requests_.emplace_back(request);
    return answers_[std::min(requests_.size(), answers_.size()) - 1];
  }};
};

}  // namespace lockstep

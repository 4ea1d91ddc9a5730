// Shared by the tests of the whole API: an Api over a store in memory, whose clock stands still.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/api.h"
#include "tenants/tenants.h"
#include "tests/memory_storage.h"

namespace lockstep::api {

inline constexpr int64_t kNowMs = 1435781451781;  // 2015-07-01T20:10:51.781Z

// The envelopes of responses.
inline std::string Success(const std::string& data) {
  return R"({"status":"success","data":)" + data + "}";
}
inline std::string BadData(const std::string& text) {
  return R"({"status":"error","errorType":"bad_data","error":")" + text + R"("})";
}

inline ServerInfo SomeInfo() {
  ServerInfo info;
  info.version = "0.1.0";
  info.revision = "abc";
  info.build_date = "2026-01-02";
  info.compiler = "g++ 12.2.0";
  info.start_time_ms = kNowMs - 1000;
  info.hostname = "host";
  info.working_folder = "/srv";
  info.storage_folder = "/srv/data";
  info.retention = "15d";
  info.flags = {{"http.address", "127.0.0.1:9009"}, {"data", "/srv/data"}};
  info.config_yaml = "storage:\n  retention: 15d\n";
  return info;
}

class ApiFixture : public testing::Test {
 protected:
  ApiFixture() { Restart(tenants_, {}); }

  // What an Api needs; callers may add to it and pass it to Restart().
  static ApiDependencies DependenciesOf(tenants::Tenants& tenants) {
    return {.tenants = tenants,
            .info = SomeInfo(),
            .options = {},
            .now_ms = [] { return kNowMs; },
            .reload = {}};
  }
  void Restart(ApiDependencies dependencies) {
    api_ = std::make_unique<Api>(std::move(dependencies));
    api_->SetReady(true);
  }
  void Restart(tenants::Tenants& tenants, const ApiOptions& options) {
    ApiDependencies dependencies = DependenciesOf(tenants);
    dependencies.options = options;
    Restart(std::move(dependencies));
  }

  Response Send(Request request) {
    request.cancel = std::make_shared<CancelSignal>();
    std::promise<Response> response;
    api_->Handle(std::move(request), [&](Response r) { response.set_value(std::move(r)); });
    return response.get_future().get();
  }
  Response Send(std::string method, std::string target, std::string body = {},
                std::vector<Header> headers = {}) {
    Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = std::move(headers);
    return Send(std::move(request));
  }
  Response Get(std::string target) { return Send("GET", std::move(target)); }
  std::string Body(std::string target) { return Get(std::move(target)).body; }
  Response PostForm(std::string target, std::string body) {
    return Send("POST", std::move(target), std::move(body),
                {{"Content-Type", "application/x-www-form-urlencoded"}});
  }

  struct Case {
    std::string target;
    std::string body;
  };
  void Check(int status, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      const Response response = Get(c.target);
      EXPECT_EQ(response.status, status) << c.target;
      EXPECT_EQ(response.body, c.body) << c.target;
      EXPECT_EQ(response.content_type, "application/json") << c.target;
    }
  }

  MemoryStorage storage_;
  tenants::Tenants tenants_{storage_, nullptr, {.engine = {.threads = 2}}};
  std::unique_ptr<Api> api_;
};

}  // namespace lockstep::api

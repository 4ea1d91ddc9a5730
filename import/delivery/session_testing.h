// For tests: an import session whose server is in the test.
#pragma once

#include <gtest/gtest.h>
#include <snappy.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "import/delivery/import_session.h"
#include "ingest/remote_write/remote_write.h"

namespace lockstep::importer {

class TestSession {
 public:
  struct Request {
    std::string path;
    std::string body;
  };

  // Never waits to try again.
  ImportSession session() {
    return {
        delivery_,
        times_,
        is_dry_run,
        resumes,
        [this](const ImportReport&) { ++progress_count; },
        [this](const ImportReport&, const std::string& message) { complaints.push_back(message); }};
  }

  // "series value@time" of all samples that were written, in their order.
  std::vector<std::string> samples() const {
    std::vector<std::string> texts;
    for (const Request& request : requests) {
      if (request.path != "/api/v1/write") continue;
      std::string message;
      EXPECT_TRUE(snappy::Uncompress(request.body.data(), request.body.size(), &message));
      const auto decoded = DecodeRemoteWrite(message, {});
      EXPECT_TRUE(decoded.ok()) << decoded.status();
      for (const SeriesWrite& series : decoded->request.series) {
        for (const Sample& sample : series.samples) {
          texts.push_back(absl::StrFormat("%s %g@%d", series.labels.ToString(), sample.value,
                                          sample.timestamp_ms));
        }
      }
    }
    return texts;
  }

  // What the server says to a request.
  std::function<absl::StatusOr<Reply>(const Request&)> answer = [](const Request&) {
    return Reply{204, "", ""};
  };
  bool is_dry_run = false;
  bool resumes = false;
  std::vector<Request> requests;  // all that arrived
  std::vector<std::string> complaints;
  int progress_count = 0;

 private:
  Delivery delivery_{[this](const Outgoing& request) {
                       requests.push_back({request.path, std::string(request.body)});
                       return answer(requests.back());
                     },
                     [](std::chrono::milliseconds) { return false; },
                     {std::chrono::milliseconds(0)}};
  SampleTimes times_;
};

}  // namespace lockstep::importer

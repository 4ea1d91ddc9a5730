#include "bench/replay/sender.h"

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::replay {
namespace {

constexpr auto kRetryAfter = std::chrono::milliseconds(100);
constexpr int kMaxTries = 300;

struct ConnectionResult {
  absl::Status status;
  uint64_t retry_count = 0;
};

size_t Discard(char*, size_t size, size_t count, void*) { return size * count; }

class Connection {
 public:
  explicit Connection(const std::string& url) : curl_(curl_easy_init()) {
    for (const char* header : {"Content-Type: application/x-protobuf", "Content-Encoding: snappy",
                               "X-Prometheus-Remote-Write-Version: 0.1.0", "Expect:"}) {
      headers_.reset(curl_slist_append(headers_.release(), header));
    }
    curl_easy_setopt(curl_.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl_.get(), CURLOPT_POST, 1L);
    curl_easy_setopt(curl_.get(), CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(curl_.get(), CURLOPT_WRITEFUNCTION, &Discard);
    curl_easy_setopt(curl_.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_.get(), CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
  }

  // The HTTP status of one try.
  absl::StatusOr<long> Post(const std::string& body) {
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    if (const CURLcode code = curl_easy_perform(curl_.get()); code != CURLE_OK) {
      return absl::UnavailableError(curl_easy_strerror(code));
    }
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

 private:
  struct CurlDeleter {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  std::unique_ptr<CURL, CurlDeleter> curl_;
  std::unique_ptr<curl_slist, CurlDeleter> headers_;
};

absl::Status PostUntilTaken(Connection& connection, const std::string& body,
                            uint64_t& retry_count) {
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const absl::StatusOr<long> status = connection.Post(body);
    if (!status.ok()) return status.status();
    if (*status >= 200 && *status < 300) return absl::OkStatus();
    if (*status != 429 && *status < 500) {
      return absl::InternalError(absl::StrFormat("the server answered %d", *status));
    }
    ++retry_count;
    std::this_thread::sleep_for(kRetryAfter);
  }
  return absl::UnavailableError("the server refused a request again and again");
}

ConnectionResult SendAll(const std::string& url, const std::vector<Request>& requests) {
  Connection connection(url);
  ConnectionResult result;
  for (const Request& request : requests) {
    result.status = PostUntilTaken(connection, request.body, result.retry_count);
    if (!result.status.ok()) break;
  }
  return result;
}

}  // namespace

absl::StatusOr<SendReport> Send(const std::string& url,
                                const std::vector<std::vector<Request>>& connections) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<ConnectionResult> results(connections.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < connections.size(); ++i) {
      threads.emplace_back([&, i] { results[i] = SendAll(url, connections[i]); });
    }
  }
  SendReport report;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (size_t i = 0; i < connections.size(); ++i) {
    if (!results[i].status.ok()) return results[i].status;
    report.retry_count += results[i].retry_count;
    report.request_count += connections[i].size();
    for (const Request& request : connections[i]) report.sample_count += request.sample_count;
  }
  return report;
}

}  // namespace lockstep::replay

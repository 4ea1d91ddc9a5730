#include "bench/replay/sender.h"

#include <curl/curl.h>

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::replay {
namespace {

constexpr auto kRetryAfter = std::chrono::milliseconds(100);
constexpr int kMaxTries = 300;

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

  // Returns the HTTP status of one attempt.
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

// Posts to a server at a steady rate. For one thread.
class PacedConnection {
 public:
  using Clock = std::chrono::steady_clock;

  PacedConnection(const std::string& url, Pace pace, Clock::time_point begin)
      : connection_(url), pace_(pace), begin_(begin) {}

  // Waits until the request is due, then posts it until it is accepted.
  absl::Status Take(const Request& request) {
    std::this_thread::sleep_until(begin_ + pace_.DueAfter(report_.sample_count));
    for (int tries = 0; tries < kMaxTries; ++tries) {
      const absl::StatusOr<long> status = connection_.Post(request.body);
      if (!status.ok()) return status.status();
      if (*status >= 200 && *status < 300) {
        ++report_.request_count;
        report_.sample_count += request.sample_count;
        return absl::OkStatus();
      }
      if (*status != 429 && *status < 500) {
        return absl::InternalError(absl::StrFormat("the server answered %d", *status));
      }
      ++report_.retry_count;
      std::this_thread::sleep_for(kRetryAfter);
    }
    return absl::UnavailableError("the server kept refusing a request");
  }

  const SendReport& report() const { return report_; }

 private:
  Connection connection_;
  const Pace pace_;
  const Clock::time_point begin_;
  SendReport report_;
};

// Runs `work` for every connection, each on a thread. `weights` divides the rate.
absl::StatusOr<SendReport> RunConnections(
    const SendOptions& options, const std::vector<uint64_t>& weights,
    const std::function<absl::Status(size_t, PacedConnection&)>& work) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const double all =
      static_cast<double>(std::accumulate(weights.begin(), weights.end(), uint64_t{0}));
  const auto begin = PacedConnection::Clock::now();
  std::vector<absl::StatusOr<SendReport>> reports(weights.size(), SendReport{});
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < weights.size(); ++i) {
      threads.emplace_back([&, i] {
        const Pace pace{options.pace.samples_per_s * static_cast<double>(weights[i]) / all};
        PacedConnection connection(options.url, pace, begin);
        const absl::Status status = work(i, connection);
        reports[i] = status.ok() ? absl::StatusOr<SendReport>(connection.report()) : status;
      });
    }
  }
  SendReport total;
  for (const absl::StatusOr<SendReport>& report : reports) {
    if (!report.ok()) return report.status();
    total.request_count += report->request_count;
    total.sample_count += report->sample_count;
    total.retry_count += report->retry_count;
  }
  total.seconds = std::chrono::duration<double>(PacedConnection::Clock::now() - begin).count();
  return total;
}

}  // namespace

absl::StatusOr<SendReport> Send(const SendOptions& options,
                                const std::vector<std::vector<Request>>& connections) {
  std::vector<uint64_t> sample_counts;
  for (const std::vector<Request>& requests : connections) {
    uint64_t& count = sample_counts.emplace_back(0);
    for (const Request& request : requests) count += request.sample_count;
  }
  return RunConnections(options, sample_counts, [&](size_t i, PacedConnection& connection) {
    for (const Request& request : connections[i]) {
      if (absl::Status status = connection.Take(request); !status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<SendReport> Play(const SendOptions& options, const Fleet& fleet, PointRange points,
                                const RequestOptions& requests) {
  std::vector<uint64_t> series_counts;
  for (uint32_t i = 0; i < requests.connection_count; ++i) {
    series_counts.push_back(SeriesOfConnection(fleet, requests, i));
  }
  return RunConnections(options, series_counts, [&](size_t i, PacedConnection& connection) {
    return MakeRequests(fleet, points, requests, static_cast<uint32_t>(i),
                        [&](const Request& request) { return connection.Take(request); });
  });
}

absl::StatusOr<SendReport> Play(const SendOptions& options, const HistoryOptions& history,
                                const RequestOptions& requests) {
  const std::vector<uint64_t> equal_shares(requests.connection_count, 1);
  return RunConnections(options, equal_shares, [&](size_t i, PacedConnection& connection) {
    return MakeHistory(history, requests, static_cast<uint32_t>(i),
                       [&](const Request& request) { return connection.Take(request); });
  });
}

}  // namespace lockstep::replay

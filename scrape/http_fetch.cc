#include "scrape/http_fetch.h"

#include <curl/curl.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace lockstep::scrape {
namespace {

constexpr long kMaxRedirects = 10;
// The limit for every body, whatever the configuration allows.
constexpr uint64_t kMaxBodyBytes = uint64_t{256} << 20;

CURL* NewHandle() {
  // Not thread-safe by itself.
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return curl_easy_init();
}

absl::StatusOr<std::string> Reveal(const Secret& secret) {
  if (secret.file.empty()) return secret.text;
  std::ifstream file(secret.file);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", secret.file));
  std::string text = std::move(content).str();
  absl::StripAsciiWhitespace(&text);
  return text;
}

std::string_view Reason(long status) {
  switch (status) {
    case 400:
      return " Bad Request";
    case 401:
      return " Unauthorized";
    case 403:
      return " Forbidden";
    case 404:
      return " Not Found";
    case 410:
      return " Gone";
    case 500:
      return " Internal Server Error";
    case 502:
      return " Bad Gateway";
    case 503:
      return " Service Unavailable";
    default:
      return "";
  }
}

// libcurl calls this at least about once a second; nonzero ends the request.
int IsCancelled(void* flag, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0;
}

}  // namespace

struct HttpFetch::Headers {
  ~Headers() { curl_slist_free_all(list); }
  void Add(const std::string& line) { list = curl_slist_append(list, line.c_str()); }

  curl_slist* list = nullptr;
  char error[CURL_ERROR_SIZE] = {};
};

HttpFetch::HttpFetch() : handle_(NewHandle()) {}

HttpFetch::~HttpFetch() { curl_easy_cleanup(handle_); }

size_t HttpFetch::TakeBody(char* bytes, size_t size, size_t count, void* fetch) {
  auto& self = *static_cast<HttpFetch*>(fetch);
  if (self.body_.size() + size * count >= self.max_body_bytes_) {
    self.is_too_large_ = true;
    return 0;
  }
  if (!self.MakeRoom(self.body_.size() + size * count)) return 0;
  self.body_.append(bytes, size * count);
  return size * count;
}

bool HttpFetch::MakeRoom(size_t bytes) {
  constexpr size_t kLeastBytes = 16 << 10;
  if (bytes <= body_.capacity()) return true;
  const size_t room = std::max({bytes, 2 * body_.capacity(), kLeastBytes});
  memory_refusal_ = memory_.Resize(room);
  if (!memory_refusal_.ok()) return false;
  body_.reserve(room);
  return true;
}

void HttpFetch::DropBody() {
  std::string().swap(body_);
  memory_.Reset();
}

absl::Status HttpFetch::Prepare(const FetchOptions& options) {
  DropBody();
  is_too_large_ = false;
  memory_refusal_ = absl::OkStatus();
  max_body_bytes_ =
      options.max_body_bytes == 0 ? kMaxBodyBytes : std::min(options.max_body_bytes, kMaxBodyBytes);
  // Keeps connections and sessions.
  curl_easy_reset(handle_);
  headers_ = std::make_unique<Headers>();
  for (const std::string& line : options.headers) headers_->Add(line);
  if (options.aws_signing) {
    SetAwsSigning(*options.aws_signing);
  } else {
    LOCKSTEP_RETURN_IF_ERROR(SetAuthorization(options.http));
  }
  curl_easy_setopt(handle_, CURLOPT_URL, options.url.c_str());
  curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, headers_->list);
  curl_easy_setopt(handle_, CURLOPT_ERRORBUFFER, headers_->error);
  curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle_, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle_, CURLOPT_USERAGENT, "lockstep");
  curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
  curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.timeout.count()));
  curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &HttpFetch::TakeBody);
  curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
  const bool follows = options.http.follow_redirects && !options.aws_signing;
  curl_easy_setopt(handle_, CURLOPT_FOLLOWLOCATION, follows ? 1L : 0L);
  curl_easy_setopt(handle_, CURLOPT_MAXREDIRS, kMaxRedirects);
  // Overrides proxies set in the environment.
  curl_easy_setopt(handle_, CURLOPT_PROXY, options.http.proxy_url.c_str());
  if (options.enable_compression) curl_easy_setopt(handle_, CURLOPT_ACCEPT_ENCODING, "gzip");
  is_post_ = options.post_body.has_value();
  if (is_post_) {
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDSIZE, static_cast<long>(options.post_body->size()));
    curl_easy_setopt(handle_, CURLOPT_COPYPOSTFIELDS, options.post_body->data());
  }
  if (!options.method.empty()) {
    curl_easy_setopt(handle_, CURLOPT_CUSTOMREQUEST, options.method.c_str());
  }
  if (options.is_cancelled != nullptr) {
    curl_easy_setopt(handle_, CURLOPT_XFERINFOFUNCTION, &IsCancelled);
    curl_easy_setopt(handle_, CURLOPT_XFERINFODATA, options.is_cancelled);
    curl_easy_setopt(handle_, CURLOPT_NOPROGRESS, 0L);
  }
  SetTls(options.http.tls);
  return absl::OkStatus();
}

absl::Status HttpFetch::SetAuthorization(const HttpClientConfig& http) {
  if (!http.user.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string password, Reveal(http.password));
    curl_easy_setopt(handle_, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(handle_, CURLOPT_USERNAME, http.user.c_str());
    curl_easy_setopt(handle_, CURLOPT_PASSWORD, password.c_str());
  } else if (http.credentials.given()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string credentials, Reveal(http.credentials));
    headers_->Add(absl::StrFormat("Authorization: %s %s", http.authorization_type, credentials));
  }
  return absl::OkStatus();
}

void HttpFetch::SetAwsSigning(const AwsSigning& signing) {
  const std::string scope = absl::StrFormat("aws:amz:%s:%s", signing.region, signing.service);
  curl_easy_setopt(handle_, CURLOPT_AWS_SIGV4, scope.c_str());
  curl_easy_setopt(handle_, CURLOPT_USERNAME, signing.access_key.c_str());
  curl_easy_setopt(handle_, CURLOPT_PASSWORD, signing.secret_key.c_str());
  if (signing.session_token.empty()) return;
  headers_->Add(absl::StrFormat("X-Amz-Security-Token: %s", signing.session_token));
}

void HttpFetch::SetTls(const TlsClientConfig& tls) {
  if (!tls.ca_file.empty()) curl_easy_setopt(handle_, CURLOPT_CAINFO, tls.ca_file.c_str());
  if (!tls.cert_file.empty()) {
    curl_easy_setopt(handle_, CURLOPT_SSLCERT, tls.cert_file.c_str());
    curl_easy_setopt(handle_, CURLOPT_SSLKEY, tls.key_file.c_str());
  }
  if (tls.insecure_skip_verify) {
    curl_easy_setopt(handle_, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle_, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

absl::Status HttpFetch::Outcome(int code) const {
  if (is_too_large_) {
    return absl::OutOfRangeError(
        absl::StrFormat("the body reaches the limit of %d bytes", max_body_bytes_));
  }
  LOCKSTEP_RETURN_IF_ERROR(memory_refusal_);
  if (code != CURLE_OK) {
    const char* const words = headers_->error[0] != '\0'
                                  ? headers_->error
                                  : curl_easy_strerror(static_cast<CURLcode>(code));
    return absl::UnavailableError(words);
  }
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  if (status == 200 || (is_post_ && status / 100 == 2)) return absl::OkStatus();
  constexpr long kTooManyRequests = 429;
  if (is_post_ && status / 100 == 4 && status != kTooManyRequests) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: %s", StatusText(), body_.substr(0, 200)));
  }
  return absl::UnavailableError(StatusText());
}

std::string HttpFetch::StatusText() const {
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  if (status == 0) return "";
  return absl::StrFormat("server returned HTTP status %d%s", status, Reason(status));
}

std::string HttpFetch::content_type() const {
  const char* type = nullptr;
  curl_easy_getinfo(handle_, CURLINFO_CONTENT_TYPE, &type);
  return type == nullptr ? "" : type;
}

absl::Status HttpFetch::Send(const FetchOptions& options) {
  LOCKSTEP_RETURN_IF_ERROR(Prepare(options));
  return Outcome(curl_easy_perform(handle_));
}

}  // namespace lockstep::scrape

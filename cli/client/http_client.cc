#include "cli/client/http_client.h"

#include <curl/curl.h>

#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

constexpr long kConnectTimeoutMs = 10'000;

// The destination of a response body.
struct BodyPlace {
  CURL* handle;
  const HttpClient::TakeBody& take;
  std::string& body;
};

size_t PutBody(char* bytes, size_t size, size_t count, void* place_pointer) {
  const BodyPlace& place = *static_cast<BodyPlace*>(place_pointer);
  const std::string_view piece(bytes, size * count);
  long status = 0;
  curl_easy_getinfo(place.handle, CURLINFO_RESPONSE_CODE, &status);
  if (place.take == nullptr || status != 200) {
    place.body.append(piece);
    return piece.size();
  }
  const char* content_type = nullptr;
  curl_easy_getinfo(place.handle, CURLINFO_CONTENT_TYPE, &content_type);
  return place.take(content_type != nullptr ? content_type : "", piece) ? piece.size() : 0;
}

// `name` is lowercase and ends with a colon.
void KeepHeader(std::string_view line, std::string_view name, std::string& kept) {
  if (absl::AsciiStrToLower(std::string(line.substr(0, name.size()))) != name) return;
  kept = line.substr(name.size());
  absl::StripAsciiWhitespace(&kept);
}

size_t TakeHeader(char* bytes, size_t size, size_t count, void* http_reply) {
  const std::string_view line(bytes, size * count);
  HttpReply& reply = *static_cast<HttpReply*>(http_reply);
  KeepHeader(line, "retry-after:", reply.retry_after);
  KeepHeader(line, "x-lockstep-samples:", reply.samples);
  return size * count;
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  std::string token = std::move(content).str();
  absl::StripAsciiWhitespace(&token);
  return token;
}

// Whether the URL names this machine, which needs no proxy.
bool IsOfThisMachine(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.starts_with("127.") || url.starts_with("localhost") || url.starts_with("[::1]");
}

}  // namespace

struct HttpClient::Curl {
  CURL* handle = curl_easy_init();
  char error[CURL_ERROR_SIZE] = {};

  ~Curl() { curl_easy_cleanup(handle); }
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(handle, option, value);
  }
};

HttpClient::HttpClient() : curl_(std::make_unique<Curl>()) {}

HttpClient::~HttpClient() = default;

absl::StatusOr<std::unique_ptr<HttpClient>> HttpClient::Make(const HttpClientOptions& options) {
  std::unique_ptr<HttpClient> client(new HttpClient());
  client->base_url_ = options.url;
  client->advice_ = options.advice;
  while (!client->base_url_.empty() && client->base_url_.back() == '/') {
    client->base_url_.pop_back();
  }
  Curl& curl = *client->curl_;
  curl.Set(CURLOPT_ERRORBUFFER, curl.error);
  curl.Set(CURLOPT_NOSIGNAL, 1L);
  curl.Set(CURLOPT_PROTOCOLS_STR, "http,https");
  curl.Set(CURLOPT_USERAGENT, "lockstep");
  curl.Set(CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl.Set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
  curl.Set(CURLOPT_WRITEFUNCTION, PutBody);
  curl.Set(CURLOPT_HEADERFUNCTION, TakeHeader);
  if (IsOfThisMachine(options.url)) curl.Set(CURLOPT_NOPROXY, "*");
  if (!options.ca_file.empty()) curl.Set(CURLOPT_CAINFO, options.ca_file.c_str());
  if (!options.user.empty()) {
    curl.Set(CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl.Set(CURLOPT_USERPWD, options.user.c_str());
  }
  if (!options.token_file.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string token, ReadToken(options.token_file));
    curl.Set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl.Set(CURLOPT_XOAUTH2_BEARER, token.c_str());
  }
  return client;
}

absl::StatusOr<HttpReply> HttpClient::Post(std::string_view path,
                                           const std::vector<std::string>& headers,
                                           std::string_view body, const TakeBody& take) {
  curl_->Set(CURLOPT_POST, 1L);
  curl_->Set(CURLOPT_POSTFIELDS, body.data());
  curl_->Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  return Ask(path, headers, take);
}

absl::StatusOr<HttpReply> HttpClient::Get(std::string_view path) {
  curl_->Set(CURLOPT_HTTPGET, 1L);
  return Ask(path, {}, nullptr);
}

absl::StatusOr<HttpReply> HttpClient::Ask(std::string_view path,
                                          const std::vector<std::string>& headers,
                                          const TakeBody& take) {
  HttpReply reply;
  const std::string url = base_url_ + std::string(path);
  // Sends a body of any size without first asking for "100 Continue".
  curl_slist* lines = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : headers) lines = curl_slist_append(lines, header.c_str());
  BodyPlace place{curl_->handle, take, reply.body};
  curl_->Set(CURLOPT_URL, url.c_str());
  curl_->Set(CURLOPT_HTTPHEADER, lines);
  curl_->Set(CURLOPT_WRITEDATA, &place);
  curl_->Set(CURLOPT_HEADERDATA, &reply);
  curl_->error[0] = '\0';
  const CURLcode code = curl_easy_perform(curl_->handle);
  curl_slist_free_all(lines);
  if (code != CURLE_OK) {
    const char* reason = curl_->error[0] != '\0' ? curl_->error : curl_easy_strerror(code);
    return absl::UnavailableError(absl::StrFormat("no answer from %s: %s%s%s", base_url_, reason,
                                                  advice_.empty() ? "" : "; ", advice_));
  }
  long status = 0;
  curl_easy_getinfo(curl_->handle, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  return reply;
}

}  // namespace lockstep::cli

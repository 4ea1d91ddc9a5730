#include "server/http/response_head.h"

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "base/utc_text.h"

namespace lockstep::server {
namespace {

bool MayHaveBody(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

std::string ResponseHead(const api::Response& response, bool keep_alive, BodyFraming framing) {
  std::string head = absl::StrFormat("HTTP/1.1 %d %s\r\nDate: %s\r\nConnection: %s\r\n",
                                     response.status, ReasonPhrase(response.status),
                                     UtcText("%a, %d %b %Y %H:%M:%S GMT", SystemTimeMs()),
                                     keep_alive ? "keep-alive" : "close");
  if (MayHaveBody(response.status)) {
    if (!response.content_type.empty()) {
      absl::StrAppendFormat(&head, "Content-Type: %s\r\n", response.content_type);
    }
    if (framing == BodyFraming::kLength) {
      absl::StrAppendFormat(&head, "Content-Length: %d\r\n", response.body.size());
    } else if (framing == BodyFraming::kChunked) {
      head += "Transfer-Encoding: chunked\r\n";
    }
  }
  for (const api::Header& header : response.headers) {
    absl::StrAppendFormat(&head, "%s: %s\r\n", header.name, header.value);
  }
  head += "\r\n";
  return head;
}

std::string ChunkHead(size_t byte_count) { return absl::StrFormat("%x\r\n", byte_count); }

// Source: IANA, "Hypertext Transfer Protocol (HTTP) Status Code Registry".
std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

}  // namespace lockstep::server

#include "server/http/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "server/http/header_list.h"

namespace lockstep::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;

// The maximum to reserve for a length that the client only announced.
constexpr uint64_t kMaxReservedBytes = 1 << 20;

}  // namespace

struct ChargedBody {
  std::string bytes;
  BodyBudget::Lease lease;
};

// A Beast "Body" that charges every byte to the budget before storing it.
struct BudgetedBody {
  using value_type = ChargedBody;

  class reader {
   public:
    template <bool kIsRequest, class Fields>
    reader(http::header<kIsRequest, Fields>&, value_type& body) : body_(body) {}

    void init(const boost::optional<std::uint64_t>& length, error_code& error) {
      if (length) body_.bytes.reserve(std::min<uint64_t>(*length, kMaxReservedBytes));
      error = {};
    }

    template <class Buffers>
    size_t put(const Buffers& buffers, error_code& error) {
      const size_t size = asio::buffer_size(buffers);
      if (!body_.lease.Grow(size)) {
        error = http::error::buffer_overflow;
        return 0;
      }
      error = {};
      for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers);
           ++at) {
        const asio::const_buffer buffer = *at;
        body_.bytes.append(static_cast<const char*>(buffer.data()), buffer.size());
      }
      return size;
    }

    void finish(error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

namespace {

// Some proxies send "http://host/path" instead of "/path" (RFC 9112, 3.2.2).
std::string_view OriginForm(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const size_t path = target.find_first_of("/?", scheme.size());
    return path == std::string_view::npos ? "/" : target.substr(path);
  }
  return target;
}

constexpr const char* kUnknownEnd =
    "The last transfer coding of a request must be \"chunked\", once and without parameters.";

// The transfer codings of all header lines, in the order in which they were applied.
std::vector<std::string_view> CodingsOf(const RequestHead& head) {
  std::vector<std::string_view> codings;
  for (const api::Header& header : head.headers) {
    if (!EqualsIgnoreCase(header.name, "Transfer-Encoding")) continue;
    ForEachListItem(header.value, [&](std::string_view coding) { codings.push_back(coding); });
  }
  return codings;
}

// The reason for rejecting a request with these transfer codings (RFC 9112, 6.1 and 6.3): its end
// is unknown, or its body cannot be decoded.
std::optional<Refusal> RefusalOfCodings(const RequestHead& head) {
  const std::vector<std::string_view> codings = CodingsOf(head);
  const auto is_chunked = [](std::string_view coding) {
    return EqualsIgnoreCase(coding, "chunked");
  };
  if (codings.empty() || !is_chunked(codings.back()) ||
      std::count_if(codings.begin(), codings.end(), is_chunked) > 1) {
    return Refusal{400, kUnknownEnd};
  }
  if (codings.size() > 1) {
    return Refusal{501, "The only supported transfer coding is \"chunked\"."};
  }
  return std::nullopt;
}

}  // namespace

std::string_view RequestHead::path() const {
  const std::string_view all = target;
  return all.substr(0, all.find('?'));
}

std::string_view RequestHead::header(std::string_view name) const {
  for (const api::Header& header : headers) {
    if (EqualsIgnoreCase(header.name, name)) return header.value;
  }
  return {};
}

struct RequestParser::Beast {
  http::request_parser<BudgetedBody> parser;
  size_t max_head_bytes = 0;
  bool is_between_chunks = false;  // and the line there is incomplete
  uint64_t max_body_bytes = 0;

  Refusal RefusalOf(const error_code& error) const {
    if (error == http::error::header_limit) {
      return {431,
              absl::StrFormat("The request's header is longer than %d bytes.", max_head_bytes)};
    }
    if (error == http::error::body_limit) {
      return {413, absl::StrFormat("The request's body is longer than %d bytes.", max_body_bytes)};
    }
    if (error == http::error::buffer_overflow) {
      return {503, parser.get().body().lease.why_not()};
    }
    if (error == http::error::bad_version) {
      return {505, "Only HTTP/1.0 and HTTP/1.1 are supported."};
    }
    return {400, absl::StrFormat("The request is not well-formed HTTP: %s.", error.message())};
  }
};

RequestParser::RequestParser(size_t max_head_bytes, uint64_t max_body_bytes, BodyBudget& budget)
    : budget_(budget), beast_(std::make_unique<Beast>()) {
  beast_->max_head_bytes = max_head_bytes;
  beast_->max_body_bytes = max_body_bytes;
  beast_->parser.header_limit(static_cast<std::uint32_t>(max_head_bytes));
  beast_->parser.body_limit(max_body_bytes);
  beast_->parser.get().body().lease = BodyBudget::Lease(budget);
}

RequestParser::~RequestParser() = default;

void RequestParser::SetClient(ClientId client) {
  beast_->parser.get().body().lease = BodyBudget::Lease(budget_, std::move(client));
}

RequestParser::Step RequestParser::Parse(std::string_view& bytes) {
  if (!refusal_.reason.empty()) return Step::kFailed;
  return head_given_ ? ParseBody(bytes) : ParseHead(bytes);
}

RequestParser::Step RequestParser::ParseHead(std::string_view& bytes) {
  error_code error;
  const size_t used = beast_->parser.put(asio::const_buffer(bytes.data(), bytes.size()), error);
  bytes.remove_prefix(used);
  if (error == http::error::need_more) {
    // Beast finds the end of the header only when it has all of it, so its own limit would apply
    // too late.
    if (bytes.size() > beast_->max_head_bytes)
      error = http::error::header_limit;
    else
      return Step::kNeedMore;
  }
  if (error) {
    return Fail(beast_->RefusalOf(error));
  }
  if (!beast_->parser.is_header_done()) return Step::kNeedMore;
  return AcceptHead();
}

RequestParser::Step RequestParser::AcceptHead() {
  const auto& message = beast_->parser.get();
  head_.method = std::string(message.method_string());
  head_.target = std::string(OriginForm(message.target()));
  for (const auto& field : message) {
    head_.headers.push_back({std::string(field.name_string()), std::string(field.value())});
  }
  head_.keep_alive = message.keep_alive();
  head_.takes_chunks = message.version() >= 11;
  head_.expects_continue =
      message.version() >= 11 && EqualsIgnoreCase(head_.header("Expect"), "100-continue");
  head_given_ = true;

  if (message.version() != 10 && message.version() != 11) {
    return Fail({505, "Only HTTP/1.0 and HTTP/1.1 are supported."});
  }
  const auto hosts = message.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() == 11)) {
    return Fail({400, "An HTTP/1.1 request needs exactly one Host header."});
  }
  if (message.count(http::field::transfer_encoding) > 0) {
    if (message.version() == 10) {
      return Fail({400, "An HTTP/1.0 request must not have a transfer coding."});
    }
    if (std::optional<Refusal> refusal = RefusalOfCodings(head_)) return Fail(*std::move(refusal));
    // The parser that reads the body must agree on the end.
    if (!beast_->parser.chunked()) return Fail({400, kUnknownEnd});
  }
  beast_->parser.eager(true);
  return Step::kHead;
}

RequestParser::Step RequestParser::ParseBody(std::string_view& bytes) {
  auto& parser = beast_->parser;
  // After an incomplete line between chunks, at least this much must follow, and Beast asserts that
  // it does.
  constexpr size_t kShortestLastChunk = std::string_view("0\r\n\r\n").size();
  while (!parser.is_done() && !bytes.empty()) {
    if (beast_->is_between_chunks && bytes.size() < kShortestLastChunk) return Step::kNeedMore;
    error_code error;
    const size_t used = parser.put(asio::const_buffer(bytes.data(), bytes.size()), error);
    bytes.remove_prefix(used);
    if (error == http::error::need_more) {
      // Only the lines between chunks can be left unread.
      if (bytes.size() > beast_->max_head_bytes)
        return Fail({400, "A chunk's header is too long."});
      beast_->is_between_chunks = true;
      return Step::kNeedMore;
    }
    if (error) {
      return Fail(beast_->RefusalOf(error));
    }
    beast_->is_between_chunks = false;
    if (used == 0) break;
  }
  return parser.is_done() ? Step::kDone : Step::kNeedMore;
}

RequestParser::Step RequestParser::Fail(Refusal refusal) {
  refusal_ = std::move(refusal);
  return Step::kFailed;
}

api::Request RequestParser::TakeRequest() {
  api::Request request;
  request.method = std::move(head_.method);
  request.target = std::move(head_.target);
  request.headers = std::move(head_.headers);
  request.body = std::move(beast_->parser.get().body().bytes);
  return request;
}

BodyBudget::Lease RequestParser::TakeLease() {
  return std::move(beast_->parser.get().body().lease);
}

}  // namespace lockstep::server

// RequestParser: the bytes of one HTTP/1.1 request in, its head and body out. No I/O; not
// thread-safe.
//
// Framing (chunks, lengths, limits) is Boost.Beast's; this class adds what Beast leaves to its
// callers: the shared body budget, and the refusal of requests whose end cannot be known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "base/client_id.h"
#include "server/body_budget.h"

namespace lockstep::server {

struct RequestHead {
  std::string method;
  std::string target;  // without scheme and host, whatever was sent
  std::vector<api::Header> headers;
  bool keep_alive = false;
  bool expects_continue = false;
  bool takes_chunks = false;  // HTTP/1.1: of an answer whose length is not known

  // `target` up to '?'.
  std::string_view path() const;
  // The first header of that name, any case; "" when there is none.
  std::string_view header(std::string_view name) const;
};

// Why a request is refused, as the client is told.
struct Refusal {
  int status = 400;
  std::string reason;
};

class RequestParser {
 public:
  enum class Step {
    kNeedMore,  // call again with the same rest and what was read since
    kHead,      // head() is complete; call again for the body
    kDone,      // TakeRequest() is complete
    kFailed,    // refusal() says why; the connection cannot be used any further
  };

  RequestParser(size_t max_head_bytes, uint64_t max_body_bytes, BodyBudget& budget);
  ~RequestParser();

  // Consumes from the front of `bytes`; bytes after the request's end are left.
  Step Parse(std::string_view& bytes);

  const RequestHead& head() const { return head_; }
  // Whom the body is counted for. Precondition: kHead, and nothing of the body was parsed.
  void SetClient(ClientId client);
  const Refusal& refusal() const { return refusal_; }
  // Precondition for both: kDone. Each once. The request lacks its address and cancel signal.
  api::Request TakeRequest();
  BodyBudget::Lease TakeLease();

 private:
  struct Beast;

  Step ParseHead(std::string_view& bytes);
  Step ParseBody(std::string_view& bytes);
  Step AcceptHead();
  Step Fail(Refusal refusal);

  BodyBudget& budget_;
  std::unique_ptr<Beast> beast_;
  RequestHead head_;
  Refusal refusal_;
  bool head_given_ = false;
};

}  // namespace lockstep::server

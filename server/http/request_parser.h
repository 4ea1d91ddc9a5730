// RequestParser: parses the bytes of one HTTP/1.1 request into its header and body. No I/O; not
// thread-safe.
//
// Boost.Beast handles framing (chunks, lengths, limits); this class adds what Beast leaves to its
// callers: the shared body budget, and the rejection of requests whose end is unknown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"
#include "base/budget/client_id.h"
#include "server/limits/body_budget.h"

namespace lockstep::server {

struct RequestHead {
  std::string method;
  std::string target;  // without scheme and host, even if they were sent
  std::vector<api::Header> headers;
  bool keep_alive = false;
  bool expects_continue = false;
  bool takes_chunks = false;  // HTTP/1.1: accepts a response of unknown length

  // `target` up to '?'.
  std::string_view path() const;
  // The first header of that name, ignoring case; "" if there is none.
  std::string_view header(std::string_view name) const;
};

// The reason for rejecting a request, as shown to the client.
struct Refusal {
  int status = 400;
  std::string reason;
};

class RequestParser {
 public:
  enum class Step {
    kNeedMore,  // call again with the unread rest and newly received bytes
    kHead,      // head() is complete; call again for the body
    kDone,      // TakeRequest() is complete
    kFailed,    // see refusal(); the connection cannot be used any further
  };

  RequestParser(size_t max_head_bytes, uint64_t max_body_bytes, BodyBudget& budget);
  ~RequestParser();

  // Consumes from the front of `bytes`; leaves bytes after the end of the request.
  Step Parse(std::string_view& bytes);

  const RequestHead& head() const { return head_; }
  // The client charged for the body. Precondition: kHead, and nothing of the body was parsed.
  void SetClient(ClientId client);
  const Refusal& refusal() const { return refusal_; }
  // Precondition for both: kDone. Call each once. The request lacks its address and cancel signal.
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

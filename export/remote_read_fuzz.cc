// Fuzzes the input from remote readers and scrapers: the request's protobuf, and the same bytes as
// an Accept header.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "export/exposition.h"
#include "export/read_request.h"

namespace lockstep {
namespace {

void Run(std::string_view bytes) {
  const auto request = ParseReadRequest(bytes);
  if (request.ok()) {
    LOCKSTEP_CHECK(request->queries.size() <= kMaxReadQueries);
  } else {
    LOCKSTEP_CHECK(absl::IsInvalidArgument(request.status()));
  }
  LOCKSTEP_CHECK(!ContentTypeOf(NegotiateExposition(bytes)).empty());
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}

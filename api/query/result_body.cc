#include "api/query/result_body.h"

#include <memory>
#include <string>
#include <utility>

#include "api/query/result_json.h"

namespace lockstep::api {
namespace {

class ResultBody final : public BodySource {
 public:
  ResultBody(engine::QueryValue value, std::string tail, TaskPool& pool)
      : value_(std::move(value)), tail_(std::move(tail)), pool_(pool) {}

  absl::StatusOr<bool> Next(std::string& out) override {
    if (next_ > 0) out += ',';
    next_ = WriteElements(value_, next_, pool_, out);
    const bool has_more = next_ < ElementCount(value_);
    if (!has_more) out += tail_;
    return has_more;
  }

 private:
  const engine::QueryValue value_;
  const std::string tail_;  // the text after the elements
  TaskPool& pool_;
  size_t next_ = 0;
};

}  // namespace

void FillInParts(Response& response, size_t gap, engine::QueryValue value, TaskPool& pool) {
  auto rest = std::make_unique<ResultBody>(std::move(value), response.body.substr(gap), pool);
  response.body.resize(gap);
  if (*rest->Next(response.body)) response.rest = std::move(rest);
}

}  // namespace lockstep::api

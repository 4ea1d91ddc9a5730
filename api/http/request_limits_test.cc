#include "api/http/request_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::api {
namespace {

Request Posted(std::string body) {
  Request request;
  request.method = "POST";
  request.target = "/api/v1/query?a=b";
  request.body = std::move(body);
  return request;
}

TEST(RequestLimits, AFormMayBeSoLargeAndNoLarger) {
  EXPECT_TRUE(CheckForm(Posted(std::string(kMaxFormBytes, 'x'))).ok());
  EXPECT_EQ(CheckForm(Posted(std::string(kMaxFormBytes + 1, 'x'))),
            absl::OutOfRangeError("the form has 1048577 bytes; the limit is 1048576"));
  Request request = Posted(std::string(kMaxFormBytes + 1, 'x'));
  request.headers.push_back({"Content-Type", "application/x-protobuf"});
  EXPECT_TRUE(CheckForm(request).ok());
}

TEST(RequestLimits, ARequestMayHaveSoManyFieldsAndNoMore) {
  // One parameter is in the URL, and one is before the first ampersand.
  EXPECT_TRUE(CheckForm(Posted(std::string(kMaxFormFields - 2, '&'))).ok());
  EXPECT_EQ(CheckForm(Posted(std::string(kMaxFormFields - 1, '&'))),
            absl::OutOfRangeError("the request has too many parameters; the limit is 1024"));
}

TEST(RequestLimits, TextsOfAQueryMayBeSoLongTogether) {
  const Form form =
      Form::Of(Posted("query=12345&match[]=678&match[]=90&other=12345678901234567890"));
  EXPECT_TRUE(CheckQueryTexts(form, 10).ok());
  EXPECT_EQ(
      CheckQueryTexts(form, 9),
      absl::ResourceExhaustedError("the query has 10 bytes; the limit is 9 (query.max-length)"));
}

TEST(RequestLimits, WhatIsTooLargeByItselfNeedNotComeAgain) {
  EXPECT_EQ(FormRefusal(absl::OutOfRangeError("why")).status, 413);
  EXPECT_EQ(FormRefusal(absl::ResourceExhaustedError("why")).status, 413);
  const Response later = FormRefusal(absl::UnavailableError("why"));
  EXPECT_EQ(later.status, 503);
  ASSERT_EQ(later.headers.size(), 1);
  EXPECT_EQ(later.headers[0].name, "Retry-After");
}

}  // namespace
}  // namespace lockstep::api

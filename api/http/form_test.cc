#include "api/http/form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Form Get(std::string target) {
  Request request;
  request.method = "GET";
  request.target = std::move(target);
  return Form::Of(request);
}

Form Post(std::string target, std::string body, std::string content_type) {
  Request request;
  request.method = "POST";
  request.target = std::move(target);
  request.body = std::move(body);
  request.headers.push_back({"content-type", std::move(content_type)});
  return Form::Of(request);
}

TEST(FormTest, ReadsValuesAsClientsSendThem) {
  struct Case {
    std::string sent;
    std::string value;
  };
  const Case cases[] = {
      {"query=up", "up"},
      {"query=a+b", "a b"},
      {"query=a%2Bb", "a+b"},
      {"query=a%2bb", "a+b"},
      {"query=rate%28x%5B5m%5D%29", "rate(x[5m])"},
      {"query={job=\"x\",a!=\"b\"}[5m]", "{job=\"x\",a!=\"b\"}[5m]"},  // unencoded
      {"query=100%", "100%"},
      {"query=%zz%4", "%zz%4"},
      {"query=%41", "A"},
      {"query=a;b", "a;b"},
      {"query=%C3%A9", "\xc3\xa9"},
      {"query=", ""},
      {"query", ""},
      {"other=1", ""},
      {"&&query=x&", "x"},
      {"query=first&query=second", "first"},
  };
  for (const Case& c : cases) EXPECT_EQ(Get("/p?" + c.sent).Get("query"), c.value) << c.sent;
}

TEST(FormTest, KeepsRepeatedValuesInOrder) {
  EXPECT_THAT(Get("/p?match[]=a&x=1&match%5B%5D=b").GetAll("match[]"), ElementsAre("a", "b"));
  EXPECT_THAT(Get("/p").GetAll("match[]"), IsEmpty());
}

TEST(FormTest, BodyComesBeforeUrl) {
  const Form form = Post("/p?a=url&b=url", "a=body", "application/x-www-form-urlencoded");
  EXPECT_EQ(form.Get("a"), "body");
  EXPECT_EQ(form.Get("b"), "url");
  EXPECT_THAT(form.GetAll("a"), ElementsAre("body", "url"));
}

TEST(FormTest, ReadsOnlyFormBodies) {
  EXPECT_EQ(Post("/p", "a=b", "application/x-www-form-urlencoded; charset=utf-8").Get("a"), "b");
  EXPECT_EQ(Post("/p", "a=b", "").Get("a"), "b");
  EXPECT_EQ(Post("/p", "a=b", "application/json").Get("a"), "");
}

TEST(PercentDecodeTest, PlusIsItselfInPaths) {
  EXPECT_EQ(PercentDecode("a+b%20c", PlusSign::kIsPlus), "a+b c");
}

}  // namespace
}  // namespace lockstep::api

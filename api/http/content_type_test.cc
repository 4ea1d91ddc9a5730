#include "api/http/content_type.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

TEST(ContentTypeTest, TypesAndParameters) {
  struct Case {
    std::string_view header;
    bool is_protobuf;
    std::string_view proto;
  };
  const Case cases[] = {
      {"application/x-protobuf", true, ""},
      {"application/x-protobuf;proto=a.B", true, "a.B"},
      {"Application/X-Protobuf ; Proto=a.B", true, "a.B"},
      {"application/x-protobuf; charset=utf-8; proto=\"a.B\" ;x=y", true, "a.B"},
      {"application/x-protobuf;;proto=a", true, "a"},
      {"application/x-protobuf;proto=a;proto=b", true, "a"},
      {"application/x-protobuf;proto", true, ""},
      {"application/x-protobuf;", true, ""},
      {"application/x-protobuffer", false, ""},
      {"text/plain;proto=a.B", false, "a.B"},
      {"", false, ""},
      {";", false, ""},
  };
  for (const Case& c : cases) {
    const ContentType type(c.header);
    EXPECT_EQ(type.Is("application/x-protobuf"), c.is_protobuf) << c.header;
    EXPECT_EQ(type.Parameter("proto"), c.proto) << c.header;
  }
}

}  // namespace
}  // namespace lockstep::api

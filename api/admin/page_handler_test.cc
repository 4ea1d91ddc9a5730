#include "api/admin/page_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace lockstep::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Generated with Python's gzip.compress(content, 9, mtime=0).
constexpr std::string_view kPageGzip(
    "\037\213\010\000\000\000\000\000\002\003\263)HLO\265\003\0000IA,\006\000\000\000", 26);
constexpr std::string_view kScriptGzip(
    "\037\213\010\000\000\000\000\000\002\003K\324\320\004\000\303N\273\251\003\000\000\000", 23);
constexpr std::array<web::PageFile, 2> kFiles = {{
    {"/index.html", "text/html; charset=utf-8", "W/\"page\"", kPageGzip, 6},
    {"/assets/a-1.js", "text/javascript; charset=utf-8", "W/\"script\"", kScriptGzip, 3},
}};
constexpr std::string_view kBrowser = "text/html,application/xhtml+xml,*/*;q=0.8";

Request Get(std::string target, std::vector<Header> headers) {
  Request request;
  request.method = "GET";
  request.target = std::move(target);
  request.headers = std::move(headers);
  return request;
}

std::string HeaderOf(const Response& response, std::string_view name) {
  for (const Header& header : response.headers) {
    if (header.name == name) return header.value;
  }
  return "";
}

ServerInfo ServerOfVersion() {
  ServerInfo info;
  info.version = "1.2.3";
  return info;
}

Response Page(std::vector<Header> headers) {
  return HandlePage(Get("/", std::move(headers)), kFiles, ServerOfVersion());
}

TEST(PageHandlerTest, ABrowserGetsThePageAndOthersAText) {
  const Response page = Page({{"Accept", std::string(kBrowser)}});
  EXPECT_EQ(page.body, "<page>");
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(HeaderOf(page, "Cache-Control"), "no-cache");
  const Response text = Page({{"Accept", "*/*"}});
  EXPECT_THAT(text.body, StartsWith("lockstep 1.2.3"));
  EXPECT_THAT(text.content_type, StartsWith("text/plain"));
}

TEST(PageHandlerTest, WithoutAPageABrowserGetsTheText) {
  const Response text =
      HandlePage(Get("/", {{"Accept", std::string(kBrowser)}}), {}, ServerOfVersion());
  EXPECT_EQ(text.status, 200);
  EXPECT_THAT(text.body, HasSubstr("/api/v1/query"));
}

TEST(PageHandlerTest, NothingInlineNothingForeignNoFrames) {
  const Response page = Page({{"Accept", std::string(kBrowser)}});
  const std::string policy = HeaderOf(page, "Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
  EXPECT_EQ(HeaderOf(page, "X-Content-Type-Options"), "nosniff");
}

TEST(PageHandlerTest, AssetsHaveTheFormThatTheClientTakes) {
  struct Case {
    std::string accepted;
    std::string body;
    std::string coding;
  };
  const Case cases[] = {
      {"", "a()", ""},
      {"br", "a()", ""},
      {"gzip", std::string(kScriptGzip), "gzip"},
      {"br, gzip, deflate", std::string(kScriptGzip), "gzip"},
      {"gzip;q=0", "a()", ""},
  };
  for (const Case& c : cases) {
    const Response asset =
        HandlePageAsset(Get("/assets/a-1.js", {{"Accept-Encoding", c.accepted}}), kFiles);
    EXPECT_EQ(asset.body, c.body) << c.accepted;
    EXPECT_EQ(HeaderOf(asset, "Content-Encoding"), c.coding) << c.accepted;
    EXPECT_THAT(HeaderOf(asset, "Cache-Control"), HasSubstr("immutable"));
  }
  EXPECT_EQ(HandlePageAsset(Get("/assets/b-2.js", {}), kFiles).status, 404);
}

TEST(PageHandlerTest, WhatTheBrowserHasIsNotSentAgain) {
  const Response known =
      Page({{"Accept", std::string(kBrowser)}, {"If-None-Match", "W/\"old\", W/\"page\""}});
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
  EXPECT_EQ(HeaderOf(known, "ETag"), "W/\"page\"");
  const Response changed =
      Page({{"Accept", std::string(kBrowser)}, {"If-None-Match", "W/\"old\""}});
  EXPECT_EQ(changed.status, 200);
}

TEST(PageHandlerTest, PathsOfThePageAreThoseThatABrowserOpens) {
  struct Case {
    std::string method;
    std::string path;
    std::string_view accept;
    bool expected;
  };
  const Case cases[] = {
      {"GET", "/jobs/pretrain-7?axis=step", kBrowser, true},
      {"GET", "/explore", kBrowser, true},
      {"GET", "/explore", "*/*", false},
      {"POST", "/explore", kBrowser, false},
      {"GET", "/api/v1/nothing", kBrowser, false},
      {"GET", "/-/nothing", kBrowser, false},
      {"GET", "/assets/gone-1.js", kBrowser, false},
  };
  for (const Case& c : cases) {
    Request request = Get(c.path, {{"Accept", std::string(c.accept)}});
    request.method = c.method;
    EXPECT_EQ(IsPagePath(request), c.expected) << c.method << " " << c.path;
  }
}

}  // namespace
}  // namespace lockstep::api

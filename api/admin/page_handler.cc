#include "api/admin/page_handler.h"

#include <zlib.h>

#include <string>

#include "absl/strings/str_format.h"
#include "api/http/reply.h"
#include "base/check.h"

namespace lockstep::api {
namespace {

// Everything comes from this server, nothing is inline, and no other page may frame it.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Asset names change with their content; the page's name does not.
constexpr std::string_view kKeepForGood = "max-age=31536000, immutable";
constexpr std::string_view kAskEachTime = "no-cache";

const web::PageFile* Find(std::span<const web::PageFile> files, std::string_view path) {
  for (const web::PageFile& file : files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

bool WantsHtml(const Request& request) {
  return request.header("Accept").find("text/html") != std::string_view::npos;
}

// All browsers list gzip without a weight. A client that gives it a weight of zero gets the
// uncompressed form.
bool TakesGzip(const Request& request) {
  const std::string_view codings = request.header("Accept-Encoding");
  const size_t at = codings.find("gzip");
  return at != std::string_view::npos && !codings.substr(at).starts_with("gzip;q=0");
}

// The uncompressed content, for the few clients that do not accept gzip.
std::string ContentOf(const web::PageFile& file) {
  std::string content(file.content_bytes, '\0');
  z_stream stream{};
  LOCKSTEP_CHECK(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.gzip.data()));
  stream.avail_in = static_cast<uInt>(file.gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  const int ending = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  // These bytes are compiled into the program, so they must be valid.
  LOCKSTEP_CHECK(ending == Z_STREAM_END && stream.avail_out == 0);
  return content;
}

Response FileReply(const Request& request, const web::PageFile& file,
                   std::string_view cache_control) {
  Response response;
  response.content_type = file.content_type;
  response.headers = {{"ETag", std::string(file.etag)},
                      {"Cache-Control", std::string(cache_control)},
                      {"Content-Security-Policy", std::string(kContentSecurityPolicy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"X-Frame-Options", "DENY"},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.header("If-None-Match").find(file.etag) != std::string_view::npos) {
    response.status = 304;
    response.headers.push_back({"Vary", "Accept, Accept-Encoding"});
  } else if (TakesGzip(request)) {
    response.body = file.gzip;
    response.headers.push_back({"Vary", "Accept, Accept-Encoding"});
    response.headers.push_back({"Content-Encoding", "gzip"});
  } else {
    response.body = ContentOf(file);
    response.headers.push_back({"Vary", "Accept"});
  }
  return response;
}

Response TextOfContents(const ServerInfo& info) {
  return TextReply(
      200,
      absl::StrFormat("lockstep %s: a metrics store for training fleets\n"
                      "\n"
                      "GET  /                      with a browser: the page\n"
                      "POST /api/v1/write          Prometheus remote write 1.0 and 2.0\n"
                      "POST /api/v1/otlp/v1/metrics  OpenTelemetry metrics\n"
                      "GET  /api/v1/query          instant query: ?query=up\n"
                      "GET  /api/v1/query_range    range query: ?query=up&start=&end=&step=\n"
                      "GET  /api/v1/explain        explain such a query\n"
                      "GET  /api/v1/series, /api/v1/labels, /api/v1/label/NAME/values\n"
                      "GET  /api/v1/metadata       types, help and units\n"
                      "GET  /api/v1/targets        what this server scrapes\n"
                      "POST /api/v1/read           Prometheus remote read\n"
                      "GET  /federate              latest samples, for a scrape: ?match[]=up\n"
                      "GET  /api/v1/status/...     buildinfo, runtimeinfo, flags, config, tsdb,\n"
                      "                            cardinality, active_queries\n"
                      "GET  /metrics               this server's own metrics\n"
                      "GET  /-/healthy, /-/ready\n"
                      "\n"
                      "As a Grafana data source: type Prometheus, URL of this page.",
                      info.version));
}

}  // namespace

bool IsPagePath(const Request& request) {
  const std::string_view path = request.path();
  for (const std::string_view prefix : {"/api/", "/-/", "/assets/", "/v1/"}) {
    if (path.starts_with(prefix)) return false;
  }
  return request.method == "GET" && WantsHtml(request);
}

Response HandlePage(const Request& request, std::span<const web::PageFile> files,
                    const ServerInfo& info) {
  const web::PageFile* page = WantsHtml(request) ? Find(files, "/index.html") : nullptr;
  return page == nullptr ? TextOfContents(info) : FileReply(request, *page, kAskEachTime);
}

Response HandlePageAsset(const Request& request, std::span<const web::PageFile> files) {
  const web::PageFile* file = Find(files, request.path());
  return file == nullptr ? TextReply(404, "404 page not found")
                         : FileReply(request, *file, kKeepForGood);
}

}  // namespace lockstep::api

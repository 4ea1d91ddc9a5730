// The web page: "/", the paths of its client-side router, and its assets. Quick. Safe from any
// thread.
#pragma once

#include <span>

#include "api/admin/server_info.h"
#include "api/http/call.h"
#include "web/page_files.h"

namespace lockstep::api {

// Whether a browser requests a page that no route matches, so that the page's own router must
// handle it.
bool IsPagePath(const Request& request);

// Returns the page to a browser; otherwise, or if there is no page, a text that lists the
// endpoints.
Response HandlePage(const Request& request, std::span<const web::PageFile> files,
                    const ServerInfo& info);
// 404 if no file has the request's path.
Response HandlePageAsset(const Request& request, std::span<const web::PageFile> files);

}  // namespace lockstep::api

// The web page: "/", the paths that its own router knows, and its assets. Quick. Safe from any thread.
#pragma once

#include <span>

#include "api/call.h"
#include "api/server_info.h"
#include "web/page_files.h"

namespace lockstep::api {

// Whether a browser asks for a page that no route knows: the page's own router does.
bool IsPagePath(const Request& request);

// The page for a browser; for everything else, and where there is no page, a text that says what there is.
Response HandlePage(const Request& request, std::span<const web::PageFile> files,
                    const ServerInfo& info);
// 404 if no file has the request's path.
Response HandlePageAsset(const Request& request, std::span<const web::PageFile> files);

}  // namespace lockstep::api

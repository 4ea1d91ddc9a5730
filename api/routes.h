// Routes: which handler serves a path, with which methods, and who may call it. Constant; safe from
// any thread.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "api/http/access.h"
#include "api/http/call.h"
#include "api/http/http.h"
#include "api/services.h"
#include "tenants/tenants.h"

namespace lockstep::api {

// Responds at once.
using QuickHandler = Response (*)(Services&, const Call&);
// Runs on the query pool.
using PooledHandler = Response (*)(Services&, const Call&, const Permit&);
// Responds when the store has finished.
using WriteHandler = void (*)(Services&, const Request&, tenants::Tenant&, Respond);
// Returns at once and responds later.
using LateHandler = void (*)(Services&, Call, Respond);

enum class Needs { kNothing, kReadyStore };

// The access that a credential must give.
enum class Reach {
  kSomeJobs,   // some jobs are enough; the others are invisible
  kAllJobs,    // all jobs
  kAllTenants  // all jobs and tenants: the route concerns the whole server
};

struct Route {
  std::string_view pattern;  // as in api/router.h
  std::string_view methods;  // in the form of the header Allow
  Needs needs;
  // The role that a caller must have. kNone: the handler is quick and gets an empty call.
  Role role;
  std::variant<QuickHandler, PooledHandler, WriteHandler, LateHandler> handler;
  Reach reach = Reach::kSomeJobs;

  // The server handles HEAD, as GET, and OPTIONS itself.
  bool Allows(std::string_view method) const;
};

struct RouteMatch {
  const Route* route = nullptr;  // null: no route matches
  std::string_view parameter;    // not percent-decoded
};
// Of several routes with the path, the one that allows the method, else the first one.
RouteMatch FindRoute(std::string_view method, std::string_view path);
// The methods of all routes with that pattern, in the form of the header Allow.
std::string AllowedMethods(std::string_view pattern);

}  // namespace lockstep::api

#include "api/services.h"

#include <utility>

#include "base/clock.h"

namespace lockstep::api {

Services::Services(ApiDependencies dependencies)
    : ApiDependencies(std::move(dependencies)), config{info.config_yaml, info.start_time_ms} {
  if (!now_ms) now_ms = SystemTimeMs;
}

}  // namespace lockstep::api

// Fuzzes the reader of registrations: input that it accepts becomes series with a job, or is
// refused with a message.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "identity/json/registration_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace identity = lockstep::identity;
  const auto registrations =
      identity::ParseRegistrations({reinterpret_cast<const char*>(data), size});
  if (!registrations.ok()) return 0;
  for (const identity::Registration& registration : *registrations) {
    const auto series = identity::SeriesOf(registration, 1);
    if (!series.ok()) continue;
    for (const identity::InfoSeries& one : *series) {
      LOCKSTEP_CHECK(one.labels.Has("job") && !one.samples.empty());
    }
  }
  return 0;
}

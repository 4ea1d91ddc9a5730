// Feeds requests: a change that applies changes nothing when it is repeated.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/training/annotation_json.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  constexpr int64_t kAtMs = 1'700'000'000'000;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto changes = api::ParseAnnotations(text, kAtMs);
  if (!changes.ok()) return 0;
  LOCKSTEP_CHECK(changes->size() <= api::kMaxAnnotationsPerRequest);
  for (annotations::AnnotationChange& change : *changes) {
    if (change.id.empty()) change.id = "id";
    const auto made = annotations::Apply(change, nullptr, kAtMs);
    if (!made.ok()) continue;
    const auto again = annotations::Apply(change, &*made, kAtMs + 1);
    LOCKSTEP_CHECK(again.ok() && *again == *made);
  }
  return 0;
}

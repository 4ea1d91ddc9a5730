// Feeds rows: whatever decodes must encode and decode to the same again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "annotations/annotation_row.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::annotations::Annotation;
  const std::string_view row(reinterpret_cast<const char*>(data), size);
  Annotation annotation;
  if (!lockstep::annotations::DecodeAnnotation(row, annotation)) return 0;
  const std::string written = lockstep::annotations::EncodeAnnotation(annotation);
  LOCKSTEP_CHECK(written.size() <= size);
  Annotation again;
  LOCKSTEP_CHECK(lockstep::annotations::DecodeAnnotation(written, again));
  LOCKSTEP_CHECK(annotation == again);
  return 0;
}

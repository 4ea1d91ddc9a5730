#include "query/engine/kernels/numbers/hash_ratio.h"

#include <string>

#include "query/engine/kernels/numbers/xxhash64.h"

namespace lockstep::engine {
namespace {

// Prometheus' encoding of a label set: each name and value after its length, which is one byte if
// below 255, otherwise 255 and three bytes little-endian.
void AppendSized(std::string& out, std::string_view text) {
  const size_t size = text.size();
  if (size < 255) {
    out += static_cast<char>(size);
  } else {
    out += static_cast<char>(255);
    for (int shift = 0; shift < 24; shift += 8) out += static_cast<char>(size >> shift & 0xff);
  }
  out += text;
}

// In [0, 1].
double SampleOffset(const LabelSet& labels) {
  std::string bytes;
  for (const LabelView& label : labels) {
    AppendSized(bytes, label.name);
    AppendSized(bytes, label.value);
  }
  return static_cast<double>(XxHash64(bytes)) / 18446744073709551616.0;
}

}  // namespace

bool KeepsByRatio(double ratio, const LabelSet& labels) {
  const double offset = SampleOffset(labels);
  return ratio >= 0 ? offset < ratio : offset >= 1 + ratio;
}

}  // namespace lockstep::engine

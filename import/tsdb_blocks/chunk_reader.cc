#include "import/tsdb_blocks/chunk_reader.h"

#include <iterator>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "import/tsdb_blocks/histogram_chunk_reader.h"
#include "import/tsdb_blocks/msb_bit_reader.h"

namespace lockstep::tsdb_blocks {
namespace {

// Indexed by the number of leading ones.
constexpr int kDeltaWidths[] = {0, 14, 17, 20, 64};

// The layout is in export/float_chunk.h.
absl::Status ReadFloatChunk(std::string_view data, SampleColumns& samples) {
  uint16_t count = 0;
  if (!GetFixed16(data, count)) return absl::DataLossError("float chunk without a count");
  MsbBitReader bits(data);
  std::vector<int64_t> timestamps_ms;
  std::vector<double> values;
  int64_t timestamp_ms = 0;
  int64_t delta = 0;
  XorReader sequence;
  for (uint16_t i = 0; i < count && bits.is_good(); ++i) {
    if (i == 0) {
      timestamp_ms = bits.GetSignedVarint();
      values.push_back(bits.GetDouble());
      sequence = XorReader(values[0]);
    } else {
      delta = i == 1 ? static_cast<int64_t>(bits.GetVarint())
                     : WrappingSum(delta, bits.GetSigned(kDeltaWidths[bits.Ones(4)]));
      timestamp_ms = WrappingSum(timestamp_ms, delta);
      values.push_back(sequence.Next(bits));
    }
    timestamps_ms.push_back(timestamp_ms);
  }
  if (!bits.is_good()) {
    return absl::DataLossError(absl::StrFormat(
        "float chunk of %d bytes ends before the last of its %d samples", data.size(), count));
  }
  for (size_t i = 0; i < values.size(); ++i) samples.Append(timestamps_ms[i], values[i]);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadChunk(uint8_t encoding, std::string_view data, SampleColumns& samples) {
  switch (static_cast<ChunkEncoding>(encoding)) {
    case ChunkEncoding::kFloat:
      return ReadFloatChunk(data, samples);
    case ChunkEncoding::kHistogram:
    case ChunkEncoding::kFloatHistogram: {
      const bool is_float = static_cast<ChunkEncoding>(encoding) == ChunkEncoding::kFloatHistogram;
      auto histograms = is_float ? ReadFloatHistogramChunk(data) : ReadHistogramChunk(data);
      if (!histograms.ok()) return histograms.status();
      std::move(histograms->begin(), histograms->end(), std::back_inserter(samples.histograms));
      return absl::OkStatus();
    }
  }
  return absl::UnimplementedError(absl::StrFormat("unsupported chunk encoding %d", encoding));
}

}  // namespace lockstep::tsdb_blocks

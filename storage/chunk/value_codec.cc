#include "storage/chunk/value_codec.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "storage/chunk/decimal_codec.h"
#include "storage/chunk/xor_codec.h"

namespace lockstep {
namespace {

bool IsConstant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(values.front());
  });
}

void PutBits(std::string& out, double value) { PutFixed64(out, std::bit_cast<uint64_t>(value)); }

absl::Status DecodeRaw(std::string_view& in, size_t count, std::vector<double>& values) {
  if (count > in.size() / 8) return absl::DataLossError("raw values are cut short");
  values.clear();
  values.reserve(count);
  for (uint64_t bits; values.size() < count && GetFixed64(in, bits);) {
    values.push_back(std::bit_cast<double>(bits));
  }
  return absl::OkStatus();
}

absl::Status DecodeConstant(std::string_view& in, size_t count, std::vector<double>& values) {
  uint64_t bits;
  if (!GetFixed64(in, bits)) return absl::DataLossError("a constant value is cut short");
  values.assign(count, std::bit_cast<double>(bits));
  return absl::OkStatus();
}

}  // namespace

void EncodeValues(std::string& out, std::span<const double> values) {
  if (values.empty()) return;
  if (IsConstant(values)) {
    out.push_back(static_cast<char>(ValueForm::kConstant));
    PutBits(out, values.front());
    return;
  }
  std::string best(1, static_cast<char>(ValueForm::kXor));
  EncodeXor(best, values);
  std::string decimal(1, static_cast<char>(ValueForm::kDecimal));
  if (EncodeDecimal(decimal, values) && decimal.size() < best.size()) best.swap(decimal);
  if (best.size() <= 8 * values.size()) {
    out += best;
    return;
  }
  out.push_back(static_cast<char>(ValueForm::kRaw));
  for (const double value : values) PutBits(out, value);
}

absl::Status DecodeValues(std::string_view& in, size_t count, std::vector<double>& values) {
  values.clear();
  if (count == 0) return absl::OkStatus();
  if (in.empty()) return absl::DataLossError("values are missing");
  const auto form = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  switch (static_cast<ValueForm>(form)) {
    case ValueForm::kRaw:
      return DecodeRaw(in, count, values);
    case ValueForm::kConstant:
      return DecodeConstant(in, count, values);
    case ValueForm::kXor:
      return DecodeXor(in, count, values);
    case ValueForm::kDecimal:
      return DecodeDecimal(in, count, values);
  }
  return absl::DataLossError(absl::StrFormat("unknown form of values %d", form));
}

}  // namespace lockstep

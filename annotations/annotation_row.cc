#include "annotations/annotation_row.h"

#include <optional>
#include <utility>

#include "base/coding.h"

namespace lockstep::annotations {
namespace {

constexpr char kRowVersion = 1;

void PutOptional(std::string& out, const std::optional<int64_t>& number) {
  PutVarint64(out, number.has_value() ? 1 : 0);
  if (number.has_value()) PutVarintSigned64(out, *number);
}

bool GetOptional(std::string_view& in, std::optional<int64_t>& number) {
  uint64_t is_there = 0;
  if (!GetVarint64(in, is_there) || is_there > 1) return false;
  if (is_there == 0) {
    number.reset();
    return true;
  }
  return GetVarintSigned64(in, number.emplace());
}

bool GetText(std::string_view& in, std::string& text) {
  std::string_view bytes;
  if (!GetLengthPrefixed(in, bytes)) return false;
  text = bytes;
  return true;
}

bool GetTags(std::string_view& in, std::vector<std::string>& tags) {
  uint64_t count = 0;
  if (!GetVarint64(in, count) || count > kMaxTags) return false;
  tags.resize(count);
  for (std::string& tag : tags) {
    if (!GetText(in, tag)) return false;
  }
  return true;
}

bool GetLabels(std::string_view& in, LabelSet& labels) {
  std::string_view bytes;
  if (!GetLengthPrefixed(in, bytes)) return false;
  absl::StatusOr<LabelSet> read = LabelSet::FromBytes(bytes);
  if (!read.ok()) return false;
  labels = *std::move(read);
  return true;
}

}  // namespace

std::string EncodeAnnotation(const Annotation& annotation) {
  std::string row(1, kRowVersion);
  PutLengthPrefixed(row, annotation.job);
  PutLengthPrefixed(row, annotation.id);
  PutLengthPrefixed(row, annotation.kind);
  PutLengthPrefixed(row, annotation.text);
  PutVarintSigned64(row, annotation.start_ms);
  PutOptional(row, annotation.end_ms);
  PutOptional(row, annotation.first_step);
  PutOptional(row, annotation.last_step);
  PutVarint64(row, annotation.tags.size());
  for (const std::string& tag : annotation.tags) PutLengthPrefixed(row, tag);
  PutLengthPrefixed(row, annotation.labels.bytes());
  return row;
}

bool DecodeAnnotation(std::string_view row, Annotation& annotation) {
  if (!row.starts_with(kRowVersion)) return false;
  row.remove_prefix(1);
  const bool is_read =
      GetText(row, annotation.job) && GetText(row, annotation.id) &&
      GetText(row, annotation.kind) && GetText(row, annotation.text) &&
      GetVarintSigned64(row, annotation.start_ms) && GetOptional(row, annotation.end_ms) &&
      GetOptional(row, annotation.first_step) && GetOptional(row, annotation.last_step) &&
      GetTags(row, annotation.tags) && GetLabels(row, annotation.labels);
  return is_read && row.empty() && !annotation.id.empty();
}

}  // namespace lockstep::annotations

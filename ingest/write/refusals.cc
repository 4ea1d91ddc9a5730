#include "ingest/write/refusals.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

constexpr size_t kMaxDescriptionBytes = 512;

void AppendEscaped(std::string& out, std::string_view text) {
  const bool is_text = IsValidUtf8(text);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (out.size() > kMaxDescriptionBytes) return;
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_text)) {
      absl::StrAppendFormat(&out, "\\x%02x", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
}

// Drops an incomplete UTF-8 sequence at the end.
void TrimToWholeCharacters(std::string& text) {
  while (!text.empty() && !IsValidUtf8(text)) text.pop_back();
}

}  // namespace

std::string DescribeLabels(std::span<const LabelView> labels) {
  std::string out = "{";
  for (size_t i = 0; i < labels.size() && out.size() <= kMaxDescriptionBytes; ++i) {
    if (i > 0) out += ", ";
    AppendEscaped(out, labels[i].name);
    out += "=\"";
    AppendEscaped(out, labels[i].value);
    out += '"';
  }
  if (out.size() > kMaxDescriptionBytes) {
    TrimToWholeCharacters(out);
    out += "...";
  }
  out += '}';
  return out;
}

std::string DescribeText(std::string_view text) {
  std::string out = "\"";
  AppendEscaped(out, text);
  if (out.size() > kMaxDescriptionBytes) {
    TrimToWholeCharacters(out);
    out += "...";
  }
  out += '"';
  return out;
}

void Refusals::Count(RejectReason reason, uint64_t sample_count) {
  ++count_;
  sample_count_ += sample_count;
  samples_by_reason_[static_cast<size_t>(reason)] += sample_count;
}

void Refusals::AddAt(std::string_view place, RejectReason reason, uint64_t sample_count,
                     std::string_view why) {
  Count(reason, sample_count);
  if (told_.size() < kMaxTold) told_.push_back(absl::StrFormat("%s: %s", place, why));
}

void Refusals::Add(RejectReason reason, uint64_t sample_count, std::span<const LabelView> labels,
                   std::string_view why) {
  Count(reason, sample_count);
  if (told_.size() < kMaxTold) {
    told_.push_back(absl::StrFormat("%s: %s", DescribeLabels(labels), why));
  }
}

void Refusals::Merge(const Refusals& other) {
  count_ += other.count_;
  sample_count_ += other.sample_count_;
  for (size_t i = 0; i < kRejectReasonCount; ++i) {
    samples_by_reason_[i] += other.samples_by_reason_[i];
  }
  const size_t room = std::min(kMaxTold - told_.size(), other.told_.size());
  told_.insert(told_.end(), other.told_.begin(),
               other.told_.begin() + static_cast<ptrdiff_t>(room));
}

std::string Refusals::ToString() const {
  std::string out =
      absl::StrFormat("%d samples were not stored, in %d cases; the rest of the request was:\n",
                      sample_count_, count_);
  for (const std::string& line : told_) absl::StrAppendFormat(&out, "%s\n", line);
  if (count_ > told_.size())
    absl::StrAppendFormat(&out, "... and %d more\n", count_ - told_.size());
  return out;
}

}  // namespace lockstep

#include "annotations/annotation.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace lockstep::annotations {
namespace {

// Labels of the series lockstep_annotation that have a meaning of their own.
constexpr std::array<std::string_view, 5> kReservedLabels = {"__name__", "job", "kind", "tags",
                                                             "text"};

absl::Status CheckLength(std::string_view what, std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "\"%s\" has %d bytes, more than the limit of %d", what, text.size(), max_bytes));
}

bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); });
}

absl::Status CheckKind(std::string_view kind) {
  const auto is_plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return absl::ascii_isalnum(byte) || c == '_' || c == '-' || c == '.';
  };
  if (!kind.empty() && std::ranges::all_of(kind, is_plain)) {
    return CheckLength("kind", kind, kMaxKindBytes);
  }
  return absl::InvalidArgumentError(
      "\"kind\" must be one word of letters, digits, '_', '-' and '.', such as profile, "
      "evaluation, checkpoint, restart, deploy or note");
}

absl::Status CheckTags(const std::vector<std::string>& tags) {
  if (tags.size() > kMaxTags) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "\"tags\" has %d elements, more than the limit of %d", tags.size(), kMaxTags));
  }
  for (const std::string& tag : tags) {
    LOCKSTEP_RETURN_IF_ERROR(CheckLength("tags", tag, kMaxTagBytes));
    if (tag.empty() || tag.find(',') != std::string::npos || HasControlCharacter(tag)) {
      return absl::InvalidArgumentError(
          "\"tags\" must be texts that are not empty and have no comma and no control character");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLabels(const LabelSet& labels) {
  if (labels.size() > kMaxLabels) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "\"labels\" has %d labels, more than the limit of %d", labels.size(), kMaxLabels));
  }
  for (const auto& [name, value] : labels) {
    if (!IsLegacyLabelName(name) ||
        std::ranges::find(kReservedLabels, name) != kReservedLabels.end()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "\"labels\" has \"%s\", which is not a name of letters, digits and '_', or is taken "
          "(__name__, job, kind, tags, text)",
          name));
    }
    if (name.size() + value.size() > kMaxLabelBytes) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "\"labels\": \"%s\" has %d bytes with its value, more than the limit of %d", name,
          name.size() + value.size(), kMaxLabelBytes));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTimes(const Annotation& annotation, int64_t now_ms) {
  const int64_t last_ms = std::max(annotation.start_ms, annotation.end_ms.value_or(0));
  if (last_ms > now_ms + kMaxAheadMs) {
    return absl::InvalidArgumentError(
        "the time is more than a year ahead; times are Unix seconds, not milliseconds, or RFC "
        "3339");
  }
  if (annotation.start_ms < 0) {
    return absl::InvalidArgumentError(
        "the time is before 1970; times are Unix seconds or RFC 3339");
  }
  if (annotation.end_ms.has_value() && *annotation.end_ms < annotation.start_ms) {
    return absl::InvalidArgumentError(
        absl::StrFormat("\"end\" is %.3f s before \"start\"",
                        static_cast<double>(annotation.start_ms - *annotation.end_ms) / 1000.0));
  }
  return absl::OkStatus();
}

absl::Status CheckSteps(const Annotation& annotation) {
  const int64_t first = annotation.first_step.value_or(0);
  if (first < 0 || annotation.last_step.value_or(first) < first) {
    return absl::InvalidArgumentError(
        "\"first_step\" must not be negative, nor \"last_step\" smaller than \"first_step\"");
  }
  return absl::OkStatus();
}

absl::Status Check(const Annotation& annotation, int64_t now_ms) {
  LOCKSTEP_RETURN_IF_ERROR(CheckLength("job", annotation.job, kMaxJobBytes));
  LOCKSTEP_RETURN_IF_ERROR(CheckLength("id", annotation.id, kMaxIdBytes));
  if (HasControlCharacter(annotation.id) || HasControlCharacter(annotation.job)) {
    return absl::InvalidArgumentError("\"id\" and \"job\" must not have control characters");
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckKind(annotation.kind));
  LOCKSTEP_RETURN_IF_ERROR(CheckLength("text", annotation.text, kMaxTextBytes));
  LOCKSTEP_RETURN_IF_ERROR(CheckTags(annotation.tags));
  LOCKSTEP_RETURN_IF_ERROR(CheckLabels(annotation.labels));
  LOCKSTEP_RETURN_IF_ERROR(CheckTimes(annotation, now_ms));
  return CheckSteps(annotation);
}

template <typename T>
void Set(const std::optional<T>& given, T& member) {
  if (given.has_value()) member = *given;
}

template <typename T>
void Set(const std::optional<T>& given, std::optional<T>& member) {
  if (given.has_value()) member = given;
}

// A request that ends an annotation names the one that was begun.
absl::Status NothingToEnd(const AnnotationChange& change) {
  return absl::InvalidArgumentError(
      absl::StrFormat("there is no annotation \"%s\" of job \"%s\" to end; check \"id\" and "
                      "\"job\", or send \"start\" "
                      "and \"text\" as well",
                      change.id, change.job));
}

}  // namespace

TimeRange TimeOf(const Annotation& annotation, int64_t now_ms) {
  const int64_t open_until_ms = std::min(now_ms, annotation.start_ms + kMaxOpenMs);
  return {annotation.start_ms,
          annotation.end_ms.value_or(std::max(annotation.start_ms, open_until_ms))};
}

int64_t BytesOf(const Annotation& annotation) {
  size_t bytes = sizeof(Annotation) + annotation.job.size() + annotation.id.size() +
                 annotation.kind.size() + annotation.text.size() + annotation.labels.bytes().size();
  for (const std::string& tag : annotation.tags) bytes += sizeof(std::string) + tag.size();
  // The nodes of the maps that hold it, which have the job and the id once more.
  constexpr size_t kNodeBytes = 200;
  bytes += kNodeBytes + annotation.job.size() + annotation.id.size();
  return static_cast<int64_t>(bytes);
}

absl::StatusOr<Annotation> Apply(const AnnotationChange& change, const Annotation* known,
                                 int64_t now_ms) {
  Annotation annotation;
  if (known != nullptr) {
    annotation = *known;
  } else {
    if (change.end_ms.has_value() && !change.start_ms.has_value()) return NothingToEnd(change);
    annotation.job = change.job;
    annotation.id = change.id;
    annotation.start_ms = now_ms;
    // Without any time it is a note about this moment.
    if (!change.start_ms.has_value()) annotation.end_ms = now_ms;
  }
  Set(change.kind, annotation.kind);
  Set(change.text, annotation.text);
  Set(change.start_ms, annotation.start_ms);
  Set(change.end_ms, annotation.end_ms);
  Set(change.first_step, annotation.first_step);
  Set(change.last_step, annotation.last_step);
  Set(change.tags, annotation.tags);
  Set(change.labels, annotation.labels);
  if (annotation.text.empty() && annotation.kind == kDefaultKind) {
    return absl::InvalidArgumentError("\"text\" or a \"kind\" is required");
  }
  LOCKSTEP_RETURN_IF_ERROR(Check(annotation, now_ms));
  return annotation;
}

}  // namespace lockstep::annotations

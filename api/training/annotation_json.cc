#include "api/training/annotation_json.h"

#include <simdjson.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/training/training_json.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using annotations::Annotation;
using annotations::AnnotationChange;
using simdjson::SUCCESS;
using simdjson::dom::element;

absl::Status WrongMember(std::string_view key, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" %s", key, what));
}

// Accepts numbers and truth values too, because people write ranks and names of jobs without
// quotes.
absl::StatusOr<std::string> MemberText(std::string_view key, element value) {
  std::string_view text;
  int64_t number = 0;
  bool truth = false;
  if (value.get(text) == SUCCESS) return std::string(text);
  if (value.get(number) == SUCCESS) return std::to_string(number);
  if (value.get(truth) == SUCCESS) return std::string(truth ? "true" : "false");
  return WrongMember(key, "must be a string or an integer");
}

template <typename Text>
absl::Status ReadText(std::string_view key, element value, Text& text) {
  LOCKSTEP_ASSIGN_OR_RETURN(text, MemberText(key, value));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> MemberTimeMs(std::string_view key, element value, int64_t now_ms) {
  // The year 5138 in seconds.
  constexpr double kMaxSeconds = 1e11;
  double seconds = 0;
  if (value.get(seconds) == SUCCESS) {
    if (std::abs(seconds) <= kMaxSeconds) return std::llround(seconds * 1000);
    return WrongMember(key, "is too large; times are Unix seconds, not milliseconds, or RFC 3339");
  }
  std::string_view text;
  if (value.get(text) != SUCCESS)
    return WrongMember(key, "must be Unix seconds, RFC 3339 or \"now\"");
  if (text == "now") return now_ms;
  const absl::StatusOr<int64_t> time_ms = ParseTimeMs(text);
  if (time_ms.ok()) return time_ms;
  return WrongMember(key, absl::StrFormat("must be Unix seconds, RFC 3339 or \"now\", not \"%s\"",
                                          text.substr(0, 100)));
}

absl::Status ReadStep(std::string_view key, element value, std::optional<int64_t>& step) {
  int64_t number = 0;
  if (value.get(number) != SUCCESS) return WrongMember(key, "must be an integer");
  step = number;
  return absl::OkStatus();
}

absl::Status ReadTags(element value, std::vector<std::string>& tags) {
  simdjson::dom::array list;
  if (value.get(list) != SUCCESS) return WrongMember("tags", "must be a list of strings");
  for (const element one : list) {
    if (tags.size() > annotations::kMaxTags) break;
    LOCKSTEP_RETURN_IF_ERROR(ReadText("tags", one, tags.emplace_back()));
  }
  return absl::OkStatus();
}

// The label "job" is the job, as in a series.
absl::Status ReadLabels(element value, AnnotationChange& change) {
  simdjson::dom::object object;
  if (value.get(object) != SUCCESS) return WrongMember("labels", "must be an object");
  LabelSetBuilder labels;
  size_t count = 0;
  for (const auto& [key, member] : object) {
    if (++count > annotations::kMaxLabels + 1) {
      return WrongMember("labels",
                         absl::StrFormat("has more than %d labels", annotations::kMaxLabels));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, MemberText("labels", member));
    if (key != "job") {
      labels.Set(key, text);
    } else if (change.job.empty() || change.job == text) {
      change.job = text;
    } else {
      return WrongMember("labels", "names another job than \"job\"");
    }
  }
  change.labels = labels.Build();
  return absl::OkStatus();
}

absl::Status ReadMember(std::string_view key, element value, int64_t now_ms,
                        AnnotationChange& change) {
  if (value.is_null()) return absl::OkStatus();
  if (key == "id") return ReadText(key, value, change.id);
  if (key == "kind") return ReadText(key, value, change.kind);
  if (key == "text") return ReadText(key, value, change.text);
  if (key == "first_step") return ReadStep(key, value, change.first_step);
  if (key == "last_step") return ReadStep(key, value, change.last_step);
  if (key == "tags") return ReadTags(value, change.tags.emplace());
  if (key == "labels") return ReadLabels(value, change);
  if (key == "step") {
    LOCKSTEP_RETURN_IF_ERROR(ReadStep(key, value, change.first_step));
    change.last_step = change.first_step;
    return absl::OkStatus();
  }
  if (key != "time" && key != "start" && key != "end") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "unknown member \"%s\"; known are id, job, kind, text, time, start, end, step, first_step, "
        "last_step, tags and labels",
        key.substr(0, 100)));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t time_ms, MemberTimeMs(key, value, now_ms));
  if (key != "end") change.start_ms = time_ms;
  if (key != "start") change.end_ms = time_ms;
  return absl::OkStatus();
}

bool Has(const simdjson::dom::object& object, std::string_view key) {
  element value;
  return object[key].get(value) == SUCCESS && !value.is_null();
}

absl::StatusOr<AnnotationChange> ReadOne(element value, int64_t now_ms) {
  simdjson::dom::object object;
  if (value.get(object) != SUCCESS) return absl::InvalidArgumentError("not a JSON object");
  if (Has(object, "time") && (Has(object, "start") || Has(object, "end"))) {
    return absl::InvalidArgumentError(
        "\"time\" is for a moment; use either it or \"start\" and \"end\"");
  }
  AnnotationChange change;
  // First, for the labels are compared with it.
  if (element job; object["job"].get(job) == SUCCESS && !job.is_null()) {
    LOCKSTEP_RETURN_IF_ERROR(ReadText("job", job, change.job));
  }
  for (const auto& [key, member] : object) {
    if (key == "job") continue;
    LOCKSTEP_RETURN_IF_ERROR(ReadMember(key, member, now_ms, change));
  }
  return change;
}

absl::StatusOr<std::vector<AnnotationChange>> ReadList(const simdjson::dom::array& list,
                                                       int64_t now_ms) {
  std::vector<AnnotationChange> changes;
  for (const element one : list) {
    if (changes.size() == kMaxAnnotationsPerRequest) {
      return absl::InvalidArgumentError(
          absl::StrFormat("a request may have at most %d annotations", kMaxAnnotationsPerRequest));
    }
    absl::StatusOr<AnnotationChange> change = ReadOne(one, now_ms);
    if (!change.ok()) {
      return Annotate(change.status(), absl::StrFormat("annotation %d", changes.size() + 1));
    }
    changes.push_back(*std::move(change));
  }
  if (changes.empty()) return absl::InvalidArgumentError("the request has no annotations");
  return changes;
}

}  // namespace

absl::StatusOr<std::vector<AnnotationChange>> ParseAnnotations(std::string_view text,
                                                               int64_t now_ms) {
  simdjson::dom::parser parser;
  element document;
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get(document);
  if (error != SUCCESS) {
    return absl::InvalidArgumentError(absl::StrFormat("the body is not a JSON object or list: %s",
                                                      simdjson::error_message(error)));
  }
  simdjson::dom::array list;
  if (document.get(list) == SUCCESS) return ReadList(list, now_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(AnnotationChange change, ReadOne(document, now_ms));
  return std::vector<AnnotationChange>{std::move(change)};
}

void WriteAnnotationFields(JsonWriter& json, const Annotation& annotation) {
  json.Field("id", annotation.id);
  json.Field("kind", annotation.kind);
  json.Field("text", annotation.text);
  json.Field("is_open", !annotation.end_ms.has_value());
  json.Field("first_step", annotation.first_step);
  json.Field("last_step", annotation.last_step);
  json.Field("tags", annotation.tags);
  json.Key("labels");
  json.BeginObject();
  for (const auto& [name, value] : annotation.labels) {
    json.LabelKey(name);
    json.Label(value);
  }
  json.EndObject();
}

void WriteAnnotation(JsonWriter& json, const Annotation& annotation) {
  json.BeginObject();
  json.Field("job", annotation.job);
  json.Field("start", UnixSeconds(annotation.start_ms));
  std::optional<double> end_s;
  if (annotation.end_ms.has_value()) end_s = UnixSeconds(*annotation.end_ms);
  json.Field("end", end_s);
  WriteAnnotationFields(json, annotation);
  json.EndObject();
}

}  // namespace lockstep::api

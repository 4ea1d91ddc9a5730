// Annotations in JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "annotations/annotation.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

inline constexpr size_t kMaxAnnotationsPerRequest = 1000;

// One object or a list of them:
//
//   {"job": "llm", "id": "eval-1", "kind": "evaluation", "text": "before the new learning rate",
//    "start": 1795242155.1, "end": "now", "first_step": 100, "last_step": 120,
//    "tags": ["nightly"], "labels": {"rank": 3}}
//
// "time" is a moment, "step" a single step. kInvalidArgument names the annotation, counted from 1,
// and the error. Unknown members are errors, because they are misspelt ones.
absl::StatusOr<std::vector<annotations::AnnotationChange>> ParseAnnotations(std::string_view text,
                                                                            int64_t now_ms);

// Writes the object.
void WriteAnnotation(JsonWriter& json, const annotations::Annotation& annotation);
// Its fields that an event does not have.
void WriteAnnotationFields(JsonWriter& json, const annotations::Annotation& annotation);

}  // namespace lockstep::api

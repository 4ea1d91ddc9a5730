// An annotation as a kept row; docs/formats/kept.md has the format. Pure.
#pragma once

#include <string>
#include <string_view>

#include "annotations/annotation.h"

namespace lockstep::annotations {

std::string EncodeAnnotation(const Annotation& annotation);
// False if the row is malformed; then `annotation` has any value.
bool DecodeAnnotation(std::string_view row, Annotation& annotation);

}  // namespace lockstep::annotations

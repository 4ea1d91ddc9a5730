#include "annotations/annotation_row.h"

#include <gtest/gtest.h>

#include "tests/support/format_page.h"

namespace lockstep::annotations {
namespace {

Annotation Profile() {
  Annotation annotation;
  annotation.job = "j";
  annotation.id = "p1";
  annotation.kind = "profile";
  annotation.text = "nsys";
  annotation.start_ms = 1'000'000'000'000;
  annotation.end_ms = 1'000'000'000'001;
  annotation.first_step = 7;
  annotation.tags = {"a", "b"};
  annotation.labels = LabelSet::Of({{"rank", "3"}});
  return annotation;
}

TEST(AnnotationRowTest, WorkedExample) {
  const std::string row = FormatPageExample("kept.md", "annotation");
  EXPECT_EQ(EncodeAnnotation(Profile()), row);
  Annotation decoded;
  ASSERT_TRUE(DecodeAnnotation(row, decoded));
  EXPECT_EQ(decoded, Profile());
}

TEST(AnnotationRowTest, WhatHasNotEndedAndHasNoJob) {
  Annotation annotation;
  annotation.id = "x";
  annotation.start_ms = 5;
  Annotation decoded;
  ASSERT_TRUE(DecodeAnnotation(EncodeAnnotation(annotation), decoded));
  EXPECT_EQ(decoded, annotation);
}

TEST(AnnotationRowTest, RowsThatAreCutOrLongerAreMalformed) {
  const std::string row = EncodeAnnotation(Profile());
  Annotation decoded;
  for (size_t size = 0; size < row.size(); ++size) {
    EXPECT_FALSE(DecodeAnnotation(std::string_view(row).substr(0, size), decoded)) << size;
  }
  EXPECT_FALSE(DecodeAnnotation(row + '\0', decoded));
  std::string other_version = row;
  other_version[0] = 2;
  EXPECT_FALSE(DecodeAnnotation(other_version, decoded));
}

}  // namespace
}  // namespace lockstep::annotations

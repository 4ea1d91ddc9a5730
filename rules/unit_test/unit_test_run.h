// Runs unit tests of rules: fills a store with the series of a test, evaluates the rules over its time, compares.
#pragma once

#include <string>
#include <vector>

#include "rules/unit_test/test_file.h"
#include "storage/storage.h"

namespace lockstep::rules {

// What was not as expected, a text each; none: the test passed. `storage` is empty and the test's alone, and takes
// samples of any time. Blocks.
absl::StatusOr<std::vector<std::string>> RunUnitTest(const TestFile& file, const UnitTest& test,
                                                     Storage& storage);

}  // namespace lockstep::rules

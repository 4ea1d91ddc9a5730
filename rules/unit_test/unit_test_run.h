// Runs unit tests of rules: fills a store with the series of a test, evaluates the rules, and
// compares.
#pragma once

#include <string>
#include <vector>

#include "rules/unit_test/test_file.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::rules {

// Returns a description of each mismatch; empty if the test passed. `storage` must be empty, used
// only by this test, and accept samples of any time. Blocks.
absl::StatusOr<std::vector<std::string>> RunUnitTest(const TestFile& file, const UnitTest& test,
                                                     Storage& storage);

}  // namespace lockstep::rules

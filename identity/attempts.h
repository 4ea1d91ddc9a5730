// The attempts of a job, from claims that name theirs; and those that do not, divided among them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "identity/claims.h"

namespace lockstep::identity {

// Gives every claim an attempt and every open one an end: claims without an attempt have that of their time; one that lasts over
// several attempts is cut at their begins. Claims that say nothing of attempts, in a job that has none, are attempt 0.
// `range` ends what is still going on.
std::vector<Claim> DivideAmongAttempts(std::vector<Claim> claims, TimeRange range);

}  // namespace lockstep::identity

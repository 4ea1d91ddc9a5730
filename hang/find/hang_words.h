// The answer in words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hang/find/hang_answer.h"

namespace lockstep::hang {

// "0-3, 7": ranks in order. Long lists end with how many more there are.
std::string RankList(std::span<const int32_t> ranks);

// What stopped the job, in a few sentences.
std::string SentenceOf(const HangAnswer& answer);
std::string SentenceOf(const Wait& wait);

// The whole answer as text, for a terminal.
std::string TextOf(std::string_view job, const HangAnswer& answer);

}  // namespace lockstep::hang

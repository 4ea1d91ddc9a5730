// Finders for single kinds of events; each appends to `events`. Only events.cc uses them.
#pragma once

#include <vector>

#include "training/events/events.h"

namespace lockstep::training {

void FindSpikes(const EventInput& input, std::vector<Event>& events);
void FindNans(const EventInput& input, std::vector<Event>& events);
// Hangs and explained long steps.
void FindLongStepEvents(const EventInput& input, std::vector<Event>& events);
void FindHangsInDevices(const EventInput& input, std::vector<Event>& events);
void FindStall(const EventInput& input, std::vector<Event>& events);
void FindLeaks(const EventInput& input, std::vector<Event>& events);
void FindDeviceTroubles(const EventInput& input, std::vector<Event>& events);
void FindSawTooth(const EventInput& input, std::vector<Event>& events);

}  // namespace lockstep::training

// Memory that the process has freed and not given back.
#pragma once

namespace lockstep {

// Gives the system back what the allocator keeps of freed memory: for after something large has gone. Of what was
// allocated by many threads the allocator gives nothing back on its own as long as one allocation lives behind it.
// Safe from any thread.
void ReturnFreeMemory();

}  // namespace lockstep

#include "base/free_memory.h"

#include <malloc.h>

namespace lockstep {

void ReturnFreeMemory() { malloc_trim(0); }

}  // namespace lockstep

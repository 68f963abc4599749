// SPDX-License-Identifier: Apache-2.0

#include "heap_meter.h"

#include <malloc.h>

void heap_meter_start(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MXFAST, 0);
}

size_t heap_meter_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

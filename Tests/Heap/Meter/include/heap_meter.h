// SPDX-License-Identifier: Apache-2.0
// How much memory the program has from malloc and has not given back.
#ifndef ATREST_HEAP_METER_H
#define ATREST_HEAP_METER_H

#include <stddef.h>

/// Has all threads share one heap, of which no part is hidden in a thread's cache. Before the first
/// thread.
void heap_meter_start(void);

/// Bytes in use.
size_t heap_meter_bytes(void);

#endif

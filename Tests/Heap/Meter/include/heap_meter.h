// SPDX-License-Identifier: Apache-2.0
// Measures the program's live malloc memory.
#ifndef ATREST_HEAP_METER_H
#define ATREST_HEAP_METER_H

#include <stddef.h>

/// Makes all threads share one malloc arena without per-thread caches. Call before the first thread
/// starts.
void heap_meter_start(void);

/// Bytes in use.
size_t heap_meter_bytes(void);

#endif

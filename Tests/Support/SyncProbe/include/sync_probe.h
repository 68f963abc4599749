// SPDX-License-Identifier: Apache-2.0
// Which files and folders of a test were synced, in which order.

#ifndef ATREST_SYNC_PROBE_H
#define ATREST_SYNC_PROBE_H

#include <stddef.h>

// Copies the path of the `index`-th fsync below `folder`, counted from 0, as it was at that time.
// Returns its length, or 0 if there were fewer, or more than 65,536 of the process since.
size_t atrest_synced_path(const char *folder, size_t index, char *path, size_t capacity);

#endif

// SPDX-License-Identifier: Apache-2.0
// The commit is a flag of the compiler's: see Package.swift.

#include "CAtrestBuild.h"

#ifndef ATREST_COMMIT
#define ATREST_COMMIT ""
#endif

const char *atrest_build_commit(void) { return ATREST_COMMIT; }

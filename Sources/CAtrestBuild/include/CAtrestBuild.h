// SPDX-License-Identifier: Apache-2.0
// The commit that a program was built from.

#ifndef CATREST_BUILD_H
#define CATREST_BUILD_H

/// The commit's abbreviated name, or an empty string in a build that does not know it. In C because
/// a new commit then compiles one line anew, and not every module.
const char *atrest_build_commit(void);

#endif

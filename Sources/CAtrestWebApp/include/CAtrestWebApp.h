// SPDX-License-Identifier: Apache-2.0
// The web app's files, as part of the program.

#ifndef CATREST_WEB_APP_H
#define CATREST_WEB_APP_H

#include <stddef.h>

/// The files, each with its length in four bytes before it, the highest first; the list of them
/// comes first. NULL in a build without the web app.
/// - Parameter length: Is set to the length of it all, in bytes.
const unsigned char *atrest_web_app(size_t *length);

#endif

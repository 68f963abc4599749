// SPDX-License-Identifier: Apache-2.0
// The files are in Embedded.c, which Scripts/embed-web writes. Without it there are none: the
// symbols are weak.

#include "CAtrestWebApp.h"

extern const unsigned char atrest_web_app_bytes[] __attribute__((weak));
extern const size_t atrest_web_app_length __attribute__((weak));

const unsigned char *atrest_web_app(size_t *length) {
  if (!&atrest_web_app_length) {
    *length = 0;
    return NULL;
  }
  *length = atrest_web_app_length;
  return atrest_web_app_bytes;
}

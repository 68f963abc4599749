// SPDX-License-Identifier: Apache-2.0
// The only libFuzzer entry point in use: a program with its own main calls it with a body.
#ifndef ATREST_FUZZER_H
#define ATREST_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer with a command line. The body gets each input and returns 0.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*body)(const uint8_t *data, size_t size));

#endif

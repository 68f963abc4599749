// SPDX-License-Identifier: Apache-2.0
// Empty: the toolchain provides the declarations of the header.
#include "fuzzer.h"

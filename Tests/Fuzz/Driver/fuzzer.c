// SPDX-License-Identifier: Apache-2.0
// Nothing: what the header declares comes with the toolchain.
#include "fuzzer.h"

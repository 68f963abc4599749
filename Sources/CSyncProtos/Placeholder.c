#include "CSyncProtos.h"

#include <protobuf-c/protobuf-c.h>

/// What a string field points to that was not on the wire. (An array without a size is nothing
/// Swift sees.)
static inline const char *atrest_absent_string(void) { return protobuf_c_empty_string; }

#include <protobuf-c/protobuf-c.h>

/// The value of a string field that is absent on the wire. (Swift cannot import an array without a
/// size.)
static inline const char *atrest_absent_string(void) { return protobuf_c_empty_string; }

#include <protobuf-c/protobuf-c.h>

/// What an absent string field points to. A function, because Swift cannot import an array without
/// a size.
static inline const char *atrest_absent_string(void) { return protobuf_c_empty_string; }

// Every generated header. Made by Scripts/generate-protos.

#include "atrest/admin/v1/admin.pb-c.h"
#include "atrest/internal/v1/pages.pb-c.h"
#include "atrest/sync/v1/accounts.pb-c.h"
#include "atrest/sync/v1/devices.pb-c.h"
#include "atrest/sync/v1/entitlements.pb-c.h"
#include "atrest/sync/v1/limits.pb-c.h"
#include "atrest/sync/v1/records.pb-c.h"
#include "atrest/sync/v1/server.pb-c.h"
#include "atrest/sync/v1/sync.pb-c.h"
#include "grpc/health/v1/health.pb-c.h"
#include "grpc/reflection/v1/reflection.pb-c.h"

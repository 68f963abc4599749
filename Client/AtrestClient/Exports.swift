// SPDX-License-Identifier: Apache-2.0
// What an app gets with `import AtrestClient`: the types that its public API shows.

@_exported import AtrestDomain
@_exported import AtrestFoundation
@_exported import AtrestReplication
@_exported import AtrestSync
@_exported import AtrestTrust

@_exported import enum AtrestWire.ProgramVersion
@_exported import struct AtrestWire.RecordFields
@_exported import protocol AtrestWire.SyncedRecord

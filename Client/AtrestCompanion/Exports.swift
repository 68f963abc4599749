// SPDX-License-Identifier: Apache-2.0
// What a program gets with `import AtrestCompanion`: the types that its public API shows.

@_exported import AtrestClient
@_exported import AtrestCommandLine

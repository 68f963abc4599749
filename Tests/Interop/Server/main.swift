// SPDX-License-Identifier: Apache-2.0
// Serves grpc.testing.TestService until its standard input ends, and prints its address first.

import AtrestRPC
import AtrestSockets
import Foundation

var configuration = GRPCServer.Configuration()
configuration.limits.maxMessageBytes = 4 * 1024 * 1024
// The cases send zeros, which are a thousand times shorter compressed: elsewhere that is a bomb.
configuration.limits.maxInflateRatio = 1_100
configuration.limits.streamQueueBytes = 4 * 1024 * 1024
let server = try GRPCServer(router: TestService.router(), configuration: configuration)
let address = try server.listen(on: .ipv4(octets: [127, 0, 0, 1], port: 0))
// Not `print`: a pipe is buffered, and whoever waits for the address sends nothing before.
try FileHandle.standardOutput.write(contentsOf: Array("\(address)\n".utf8))
while readLine() != nil {}
await server.drain(grace: .seconds(1))

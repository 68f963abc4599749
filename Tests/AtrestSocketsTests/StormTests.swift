// SPDX-License-Identifier: Apache-2.0
// A hostile network: resets by the hundred thousand, more peers than descriptors.

import AtrestHTTP2
import AtrestTestSupport
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import AtrestSockets

extension Sockets {
  @Suite(.timeLimit(.minutes(20))) struct StormTests {
    /// `ATREST_RESETS` sets the count. A million was run by hand.
    static let resets =
      getenv("ATREST_RESETS").flatMap { Int(String(cString: $0)) } ?? caseCount(100_000)

    @Test("connections reset by their peers, by the thousand, are survived")
    func resets() async throws {
      let server = try EchoServer(shards: 2)
      let address = server.address
      let clients = 4
      try await withThrowingTaskGroup(of: Void.self) { group in
        for client in 0..<clients {
          group.addTask {
            try await blocking {
              let bytes = [UInt8](repeating: 1, count: 64)
              for index in 0..<Self.resets / clients {
                let socket = try RawSocket(to: address)
                // At every stage of a connection: before, during and after the exchange.
                if (index + client) % 8 != 0 { try socket.send(bytes) }
                if (index + client) % 16 == 1 { _ = try socket.receive(64) }
                socket.reset()
              }
            }
          }
        }
        try await group.waitForAll()
      }
      try await blocking {
        let socket = try RawSocket(to: address)
        defer { socket.close() }
        try socket.send([42])
        #expect(try socket.receive(1) == [42], "the server no longer answers")
      }
      await server.stop()
      #expect(server.budget.count == 0)
    }

    #if compiler(>=6.2)
      @Test(
        "more peers than descriptors: some are served, some turned away, nothing spins or hangs")
      func outOfDescriptors() async {
        // In a separate process: the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
          let server = try EchoServer(starts: false)
          let address = server.address
          // They wait in the kernel. The limit is then lowered so that few can be accepted.
          let sockets = try await blocking { try (0..<300).map { _ in try RawSocket(to: address) } }
          var limit = rlimit()
          getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          let full = limit.rlim_cur
          limit.rlim_cur = rlim_t(try openDescriptors() + 20)
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          server.listener.start()
          let served = try await blocking {
            var served = 0
            for socket in sockets {
              // The server closes rejected connections: both calls may fail.
              guard (try? socket.send([7])) != nil, let answer = try? socket.receive(1) else {
                continue
              }
              served += answer.count
            }
            return served
          }
          precondition(served >= 10 && served <= 20, "served \(served)")
          limit.rlim_cur = full
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          try await blocking {
            for socket in sockets { socket.close() }
            let late = try RawSocket(to: address)
            try late.send([8])
            let answer = try late.receive(1)
            precondition(answer == [8], "accepting did not come back")
            late.close()
          }
          var usage = rusage()
          getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
          precondition(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec < 5, "it span")
          await server.stop()
        }
      }
    #endif
  }
}

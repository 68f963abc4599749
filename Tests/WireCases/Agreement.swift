// SPDX-License-Identifier: Apache-2.0
// The law of the two codecs: for any bytes the same verdict and the same value, for any value the
// same bytes.

import AtrestProtocol
import AtrestWire

/// A message that both codecs know.
public typealias PublicMessage = WireMessage & PackedMessage

/// How the two codecs differ about bytes, in words; nil if they agree.
///
/// Which fault of several is reported may differ: protobuf-c finds malformed bytes first, wherever
/// they are. protobuf-c also refuses what would take more than 8 MiB in memory, which is possible
/// from about 64 KiB of bytes; longer ones are not compared.
public func disagreement<Message: PublicMessage>(
  about bytes: [UInt8], as type: Message.Type
) -> String? {
  guard bytes.count <= comparedBytes else { return nil }
  let (ours, theirs): (Message, Message)
  let verdicts = (
    verdict { () throws(WireError) in try Message(decoding: bytes) },
    verdict { () throws(WireError) in try Message(unpacking: bytes) }
  )
  switch verdicts {
  case (.success(let first), .success(let second)): (ours, theirs) = (first, second)
  case (.failure, .failure): return nil
  case (.success, .failure(let error)): return "\(type): only protobuf-c refuses: \(error)"
  case (.failure(let error), .success): return "\(type): only protobuf-c accepts: \(error)"
  }
  guard ours == theirs else { return "\(type): protobuf-c reads another value" }
  return disagreement(about: ours)
}

/// How the two codecs differ about a value, in words; nil if both write the same bytes, and each
/// reads the other's.
public func disagreement<Message: PublicMessage>(about value: Message) -> String? {
  let (ours, theirs) = (value.encoded, value.packed)
  guard ours == theirs else { return "\(Message.self): protobuf-c writes other bytes" }
  guard ours.count <= comparedBytes else { return nil }
  guard (try? Message(decoding: theirs)) == (try? Message(unpacking: ours)) else {
    return "\(Message.self): protobuf-c reads another value from its own bytes"
  }
  return nil
}

/// The longest bytes that are compared.
public let comparedBytes = 64 * 1024

private func verdict<Message>(
  _ body: () throws(WireError) -> Message
) -> Result<Message, WireError> {
  do throws(WireError) { return .success(try body()) } catch { return .failure(error) }
}

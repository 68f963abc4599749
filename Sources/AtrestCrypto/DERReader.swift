// SPDX-License-Identifier: Apache-2.0
// Reads DER one element after the other.

/// Bytes that are not what they have to be.
package struct MalformedCertificate: Error {}

/// Reads the elements of one DER value in order. The caller says what comes next; anything else,
/// and any second way to write the same, is an error.
///
/// Nothing here recurses: whoever reads an element's contents makes a reader of them.
/// Source: X.690, sections 8 and 10.
struct DERReader {
  /// The tags that certificates have.
  enum Tag: UInt8 {
    case boolean = 0x01
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case objectIdentifier = 0x06
    case utcTime = 0x17
    case generalizedTime = 0x18
    case sequence = 0x30
    case set = 0x31
    /// Context-specific, constructed.
    case explicit0 = 0xA0
    case explicit3 = 0xA3
  }

  /// What is left.
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { bytes.isEmpty }

  /// Whether an element with this tag comes next.
  func isNext(_ tag: Tag) -> Bool { bytes.first == tag.rawValue }

  /// Fails unless all was read.
  func finish() throws(MalformedCertificate) {
    guard isAtEnd else { throw MalformedCertificate() }
  }

  /// The contents of the next element.
  mutating func read(_ tag: Tag) throws(MalformedCertificate) -> ArraySlice<UInt8> {
    guard isNext(tag) else { throw MalformedCertificate() }
    return try readAny().contents
  }

  /// A reader of the contents of the next element.
  mutating func enter(_ tag: Tag) throws(MalformedCertificate) -> DERReader {
    DERReader(try read(tag))
  }

  /// The next element, whatever it is: all of its bytes, and its contents.
  mutating func readAny() throws(MalformedCertificate) -> (
    encoded: ArraySlice<UInt8>, contents: ArraySlice<UInt8>
  ) {
    let start = bytes.startIndex
    guard bytes.count >= 2, Self.isPossible(bytes[start]) else { throw MalformedCertificate() }
    var count = Int(bytes[start + 1])
    var contents = bytes.dropFirst(2)
    if count >= 0x80 {
      // In one or two bytes, up to 64 KiB, and in none more than it takes. 0x80 would be BER's
      // length that is known only at the end.
      let digits = contents.prefix(count & 0x7F)
      guard count == 0x81 || count == 0x82, digits.count == count & 0x7F else {
        throw MalformedCertificate()
      }
      contents = contents.dropFirst(digits.count)
      count = digits.reduce(0) { $0 << 8 | Int($1) }
      guard count >= 0x80, digits.count == 1 || count >= 0x100 else { throw MalformedCertificate() }
    }
    guard count <= contents.count else { throw MalformedCertificate() }
    contents = contents.prefix(count)
    defer { bytes = bytes[contents.endIndex...] }
    return (bytes[start..<contents.endIndex], contents)
  }

  /// Reads past the next element, of any type whose contents are not elements.
  mutating func skipPrimitive() throws(MalformedCertificate) {
    let (encoded, _) = try readAny()
    guard let tag = encoded.first, tag & 0x20 == 0 else { throw MalformedCertificate() }
  }

  /// Whether a tag is in one byte, and constructed where ASN.1's own types are: sequences and sets.
  private static func isPossible(_ tag: UInt8) -> Bool {
    let (number, isConstructed, isUniversal) = (tag & 0x1F, tag & 0x20 != 0, tag & 0xC0 == 0)
    return number != 0x1F && (!isUniversal || isConstructed == (number == 0x10 || number == 0x11))
  }

  /// The digits of an INTEGER that is not negative, without leading zeros.
  mutating func readInteger() throws(MalformedCertificate) -> ArraySlice<UInt8> {
    let digits = try read(.integer)
    guard let first = digits.first, first < 0x80 else { throw MalformedCertificate() }
    guard first == 0 else { return digits }
    // A zero stands there alone, or because the next bit would be a sign.
    guard digits.count == 1 || digits[digits.startIndex + 1] >= 0x80 else {
      throw MalformedCertificate()
    }
    return digits.dropFirst()
  }

  /// An INTEGER of 0 to 127.
  mutating func readSmallInteger() throws(MalformedCertificate) -> Int {
    let digits = try readInteger()
    guard digits.count <= 1, digits.first ?? 0 < 0x80 else { throw MalformedCertificate() }
    return Int(digits.first ?? 0)
  }

  /// A BOOLEAN whose default is false: only true is written.
  mutating func readFlag() throws(MalformedCertificate) -> Bool {
    guard isNext(.boolean) else { return false }
    guard try read(.boolean).elementsEqual([0xFF]) else { throw MalformedCertificate() }
    return true
  }

  /// The bytes of a BIT STRING, and how many bits of the last one do not count. They are zero.
  mutating func readBits() throws(MalformedCertificate) -> (bytes: ArraySlice<UInt8>, unused: Int) {
    let contents = try read(.bitString)
    guard let unused = contents.first, unused < 8 else { throw MalformedCertificate() }
    let bits = contents.dropFirst()
    // Without a byte there is none to leave bits of unused.
    guard (bits.last ?? 0xFF) & (1 << unused - 1) == 0 else { throw MalformedCertificate() }
    return (bits, Int(unused))
  }

  /// The bytes of a BIT STRING that consists of whole bytes.
  mutating func readWholeBytes() throws(MalformedCertificate) -> ArraySlice<UInt8> {
    let (bytes, unused) = try readBits()
    guard unused == 0 else { throw MalformedCertificate() }
    return bytes
  }

  mutating func readObjectIdentifier() throws(MalformedCertificate) -> OID {
    guard let identifier = OID(contents: try read(.objectIdentifier)) else {
      throw MalformedCertificate()
    }
    return identifier
  }
}

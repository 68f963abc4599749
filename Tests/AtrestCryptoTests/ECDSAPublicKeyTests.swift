// SPDX-License-Identifier: Apache-2.0
// Which signatures count, and which keys are keys.

import AtrestAppStore
import AtrestCrypto
import CAtrestOpenSSL
import Testing

@Suite("A key of ECDSA", .timeLimit(.minutes(20)))
struct ECDSAPublicKeyTests {
  static let message = Array("sample".utf8)

  /// Each curve, and its name with OpenSSL.
  static let curves: [(EllipticCurve, String)] = [
    (.p256, "P-256"), (.p384, "P-384"), (.p521, "P-521"),
  ]
  static let hashes: [(SignatureHash, Int)] = [(.sha256, 256), (.sha384, 384), (.sha512, 512)]

  /// Source: RFC 6979, section A.2.5.
  @Test("takes the standard's signature")
  func standard() throws {
    let x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    let y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
    let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
    let key = try #require(ECDSAPublicKey(.p256, point: [4] + bytes(x + y)))
    #expect(key.isValid(raw: bytes(r + s), of: Self.message, hash: .sha256))
    #expect(!key.isValid(raw: bytes(r + s), of: Self.message, hash: .sha384))
    #expect(!key.isValid(raw: bytes(s + r), of: Self.message, hash: .sha256))
    #expect(!key.isValid(raw: bytes(r + s), of: Array("Sample".utf8), hash: .sha256))
    #expect(ERR_peek_error() == 0)
  }

  @Test("takes what it signed, on each curve and with each hash", arguments: curves)
  func signed(curve: EllipticCurve, name: String) throws {
    let signer = try SigningKey(curve: name)
    let stranger = try SigningKey(curve: name)
    let key = try #require(ECDSAPublicKey(curve, point: try signer.point()))
    for (hash, bits) in Self.hashes {
      for message in [[], Self.message] {
        let der = try signer.sign(message, hash: bits)
        let raw = try signer.signRaw(message, hash: bits, byteCount: curve.byteCount)
        #expect(key.isValid(der: der, of: message, hash: hash))
        #expect(key.isValid(raw: raw, of: message, hash: hash))
        #expect(!key.isValid(der: der, of: message + [0], hash: hash))
        #expect(!key.isValid(raw: der, of: message, hash: hash))
        #expect(!key.isValid(der: raw, of: message, hash: hash))
        let other = try stranger.sign(message, hash: bits)
        #expect(!key.isValid(der: other, of: message, hash: hash))
      }
    }
    #expect(ERR_peek_error() == 0)
  }

  @Test("takes no signature of another length, or with a number that is none of the group's")
  func numbers() throws {
    let signer = try SigningKey(curve: "P-256")
    let key = try #require(ECDSAPublicKey(.p256, point: try signer.point()))
    let raw = try signer.signRaw(Self.message, hash: 256, byteCount: 32)
    let (r, s) = (Array(raw.prefix(32)), Array(raw.suffix(32)))
    let zero = [UInt8](repeating: 0, count: 32)
    let one = [UInt8](zero.dropLast()) + [1]
    let ones = [UInt8](repeating: 0xFF, count: 32)
    // The order of P-256.
    let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    let pairs = [
      (zero, s), (r, zero), (zero, zero), (ones, s), (r, ones), (ones, ones), (order, s),
      (r, order), (one, one), (s, r),
    ]
    let lengths: [[UInt8]] = [[], [0], r, Array(raw.dropLast()), raw + [0], [0] + raw]
    for wrong in lengths + pairs.map({ $0 + $1 }) {
      #expect(!key.isValid(raw: wrong, of: Self.message, hash: .sha256), "\(wrong)")
    }
    #expect(key.isValid(raw: raw, of: Self.message, hash: .sha256))
    #expect(ERR_peek_error() == 0)
  }

  @Test("takes a signature in one form only: DER, and nothing behind it")
  func form() throws {
    let signer = try SigningKey(curve: "P-256")
    let key = try #require(ECDSAPublicKey(.p256, point: try signer.point()))
    let der = try signer.sign(Self.message, hash: 256)
    let contents = Array(der.dropFirst(2))
    let indefinite = [0x30, 0x80] + contents + [0, 0]
    let long = [0x30, 0x81, der[1]] + contents
    let three = DER.sequence(contents, DER.integer(1))
    for wrong in [
      [], [0x30], [0x30, 0], der + [0], Array(der.dropLast()), indefinite, long, three, [0] + der,
      DER.element(0x31, contents),
    ] as [[UInt8]] {
      #expect(!key.isValid(der: wrong, of: Self.message, hash: .sha256), "\(wrong)")
    }
    for index in der.indices {
      var changed = der
      changed[index] ^= 0x80
      #expect(!key.isValid(der: changed, of: Self.message, hash: .sha256))
    }
    #expect(ERR_peek_error() == 0)
  }

  @Test("is a point of its curve, in its uncompressed form", arguments: curves)
  func points(curve: EllipticCurve, name: String) throws {
    let point = try SigningKey(curve: name).point()
    #expect(ECDSAPublicKey(curve, point: point) != nil)
    let (x, y) = (point[1..<curve.byteCount + 1], point[(curve.byteCount + 1)...])
    var beside = point
    beside[point.count - 1] ^= 1
    let sign = point[point.count - 1] & 1
    let parts: [(UInt8, [UInt8])] = [
      (2 + sign, Array(x)), (6 + sign, Array(x + y)), (0, Array(x + y)), (4, Array(y + x)),
      (4, [UInt8](repeating: 0, count: 2 * curve.byteCount)),
      (4, [UInt8](repeating: 0xFF, count: 2 * curve.byteCount)),
    ]
    let lengths: [[UInt8]] = [[], [0], [4], Array(point.dropLast()), point + [0]]
    for wrong in lengths + parts.map({ [$0] + $1 }) + [beside] {
      #expect(ECDSAPublicKey(curve, point: wrong) == nil)
    }
    for (other, _) in Self.curves where other != curve {
      #expect(ECDSAPublicKey(other, point: point) == nil)
    }
    #expect(ERR_peek_error() == 0)
  }

  private func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

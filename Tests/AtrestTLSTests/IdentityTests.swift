// SPDX-License-Identifier: Apache-2.0
// Loading and generating keys and certificates, and the errors for bad ones.

import AtrestTestSupport
import AtrestTrust
import CAtrestOpenSSL
import Glibc
import Testing

@testable import AtrestTLS

/// An RSA key of 1,024 bits, which is too weak.
func weakIdentity(in folder: Folder) throws -> ServerIdentity {
  guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { throw Unexpected("RSA") }
  defer { EVP_PKEY_CTX_free(context) }
  var made: OpaquePointer?
  guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1_024) == 1,
    EVP_PKEY_generate(context, &made) == 1, let key = OpenSSLRef.key(made)
  else { throw Unexpected("no weak key") }
  let maker = CertificateMaker(validFrom: Authority.now - 60, validUntil: Authority.now + 60)
  guard let certificate = maker.make(for: key) else { throw Unexpected("no certificate") }
  return try ServerIdentity(key: key, chain: [certificate], keyPath: "key", path: "weak")
}

@Suite(.timeLimit(.minutes(20))) struct IdentityTests {
  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func write(_ text: [UInt8], _ path: String, mode: mode_t = 0o600) throws {
    try KeyFile(path: path).write(text)
    chmod(path, mode)
  }

  private func pem(_ identity: ServerIdentity) throws -> [UInt8] {
    let leaf = try #require(identity.chain.first)
    return try #require(PEM.encode(key: identity.key.pointer, certificate: leaf.pointer))
  }

  @Test("the first start makes an identity for one's own eyes; later starts keep it")
  func firstStart() throws {
    let folder = try Folder()
    let file = folder.path("identity.pem")
    let first = try ServerIdentity.loadOrMake(file: file)
    #expect(mode(file) == 0o600)
    #expect(try ServerIdentity.loadOrMake(file: file).fingerprint == first.fingerprint)
    #expect(access(file + ".new", F_OK) != 0)
    let years = (first.validUntil - Authority.now) / 86_400 / 365
    #expect(years == 9 || years == 10)
    let known = folder.path("known.pem")
    try write(Array(first.certificatePEM.utf8), known)
    #expect(!first.certificatePEM.contains("PRIVATE"))
    _ = try ClientTLS(.authority(file: known, name: "atrest"))
    // Another file yields another identity.
    let other = try ServerIdentity.loadOrMake(file: folder.path("other.pem"))
    #expect(other.fingerprint != first.fingerprint)
    // After ten years it still loads: devices know the fingerprint.
    #expect(
      try ServerIdentity.loadOrMake(file: file, now: first.validUntil + 9).fingerprint
        == first.fingerprint)
  }

  @Test("an identity names the hosts that devices call; what is no host is left out")
  func hosts() throws {
    let identity = try ServerIdentity.generate(
      for: ["sync.example.org", "192.0.2.7", "2001:db8::7", "localhost", "a,DNS:evil", "", "-x.y"])
    let leaf = try #require(identity.chain.first).pointer
    let names = { (name: String) in X509_check_host(leaf, name, name.utf8.count, 0, nil) == 1 }
    let addresses = { (address: String) in X509_check_ip_asc(leaf, address, 0) == 1 }
    #expect(names("sync.example.org") && names("localhost") && names("atrest"))
    #expect(addresses("192.0.2.7") && addresses("2001:db8::7") && addresses("127.0.0.1"))
    #expect(!names("evil") && !names("a") && !names("other.example.org"))
    #expect(!addresses("192.0.2.8"))
  }

  @Test("a crash while the first identity is written leaves no half of one")
  func crash() throws {
    let folder = try Folder()
    let file = folder.path("identity.pem")
    // The file that a crash before the rename leaves.
    try write(Array("-----BEGIN PRIVATE KEY-----".utf8), file + ".new", mode: 0o644)
    _ = try ServerIdentity.loadOrMake(file: file)
    #expect(mode(file) == 0o600)
    #expect(access(file + ".new", F_OK) != 0)
  }

  @Test("an identity that is damaged, or open to others, is an error and stays as it is")
  func damaged() throws {
    let folder = try Folder()
    let file = folder.path("identity.pem")
    let whole = try pem(try ServerIdentity.loadOrMake(file: file))
    chmod(file, 0o640)
    #expect(throws: TLSFileError.exposed(path: file)) { try ServerIdentity.loadOrMake(file: file) }
    // Every truncation and some flipped bytes: an error or the same identity, never a new one.
    let fingerprint = try ServerIdentity.load(certificateFile: file, keyFile: file).fingerprint
    for length in stride(from: 0, to: whole.count, by: 7) {
      try write(Array(whole[..<length]), file)
      let loaded = try? ServerIdentity.loadOrMake(file: file)
      #expect(loaded == nil || loaded?.fingerprint == fingerprint)
    }
    try checkLaw(cases: 60) { random in
      var bytes = whole
      bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(
        in: 1...255, using: &random)
      try write(bytes, file)
      _ = try? ServerIdentity.loadOrMake(file: file)
      return try KeyFile(path: file).read() == bytes
    }
    unlink(file)
    mkdir(file, 0o700)
    #expect(throws: TLSFileError.self) { try ServerIdentity.loadOrMake(file: file) }
    rmdir(file)
    mkfifo(file, 0o600)
    #expect(throws: TLSFileError.self) { try ServerIdentity.loadOrMake(file: file) }
    #expect {
      try ServerIdentity.loadOrMake(file: folder.path("no/such/folder/identity.pem"))
    } throws: {
      guard case .unwritable = $0 as? TLSFileError else { return false }
      return true
    }
  }

  @Test("a pair of PEM files is loaded with its chain; what is wrong with one is said")
  func load() throws {
    let folder = try Folder()
    let (now, day) = (Authority.now, Authority.day)
    let authority = try Authority()
    func identity(_ from: Int, _ until: Int) throws -> ServerIdentity {
      try .signed(
        by: authority, names: ["DNS:a.b"], validFrom: now + from * day,
        validUntil: now + until * day)
    }
    let good = try identity(-1, 1)
    let (certificate, key) = (folder.path("chain.pem"), folder.path("key.pem"))
    try write(try pem(good) + authority.pem, certificate)
    try write(try pem(good), key, mode: 0o644)
    func load() throws -> ServerIdentity {
      try .load(certificateFile: certificate, keyFile: key, now: now)
    }
    let loaded = try load()
    #expect(loaded.fingerprint == good.fingerprint && loaded.chain.count == 2)
    _ = try ServerTLS(loaded)

    try write(try pem(try identity(-1, 1)), key)
    #expect(throws: TLSFileError.keyMismatch(key: key, certificate: certificate)) { try load() }
    for (times, error) in [
      ((-3, -1), TLSFileError.expired(path: certificate)),
      ((1, 3), .notYetValid(path: certificate)),
    ] {
      let both = try pem(try identity(times.0, times.1))
      try write(both, certificate)
      try write(both, key)
      #expect(throws: error) { try load() }
    }
    try write(try pem(good), certificate)
    try write(Array("no key here".utf8), key)
    #expect(throws: TLSFileError.noKey(path: key)) { try load() }
    try write(locked(good), key)
    #expect(throws: TLSFileError.lockedKey(path: key)) { try load() }
    for text in ["", "no certificate here", "-----BEGIN CERTIFICATE-----\nAAAA\n"] {
      try write(Array(text.utf8), certificate)
      #expect(throws: TLSFileError.noCertificate(path: certificate)) { try load() }
    }
    unlink(certificate)
    #expect { try load() } throws: {
      ($0 as? TLSFileError)?.userMessage.contains("No such file") == true
    }
    #expect(throws: TLSFileError.self) {
      try ServerIdentity.load(certificateFile: "/dev/zero", keyFile: "/dev/zero")
    }
  }

  @Test("no sentence about a file holds anything of it")
  func sentences() {
    let all: [TLSFileError] = [
      .unreadable(path: "p", reason: "r"), .unwritable(path: "p", reason: "r"), .exposed(path: "p"),
      .noCertificate(path: "p"), .noKey(path: "p"), .lockedKey(path: "p"),
      .keyMismatch(key: "k", certificate: "p"), .expired(path: "p"), .notYetValid(path: "p"),
      .unusable(path: "p", reason: "r"),
    ]
    #expect(Set(all.map(\.userMessage)).count == all.count)
  }

  @Test("a fingerprint is written as 64 digits, and read with colons, too")
  func fingerprint() throws {
    let fingerprint = try ServerIdentity.generate().fingerprint
    let text = "\(fingerprint)"
    #expect(text.utf8.count == 64)
    #expect(CertificateFingerprint(parsing: text) == fingerprint)
    #expect(CertificateFingerprint(parsing: text.uppercased()) == fingerprint)
    var colons = ""
    for (index, digit) in text.enumerated() {
      colons += (index > 0 && index % 2 == 0 ? ":" : "") + String(digit)
    }
    #expect(CertificateFingerprint(parsing: colons) == fingerprint)
    #expect(CertificateFingerprint(fingerprint.bytes) == fingerprint)
    for wrong in ["", "zz", String(text.dropLast()), text + "0", String(repeating: "ä", count: 64)]
    {
      #expect(CertificateFingerprint(parsing: wrong) == nil)
    }
    #expect(CertificateFingerprint([1, 2, 3]) == nil)
  }

  /// The key encrypted with a passphrase.
  private func locked(_ identity: ServerIdentity) throws -> [UInt8] {
    let memory = try #require(OpenSSLRef.bio(BIO_new(BIO_s_mem())))
    let word = Array("word".utf8)
    guard
      PEM_write_bio_PrivateKey(
        memory.pointer, identity.key.pointer, EVP_aes_128_cbc(), word, CInt(word.count), nil, nil)
        == 1
    else { throw Unexpected("not written") }
    var bytes = [UInt8](repeating: 0, count: 10_000)
    let count = BIO_read(memory.pointer, &bytes, CInt(bytes.count))
    return Array(bytes[..<Int(max(0, count))])
  }
}

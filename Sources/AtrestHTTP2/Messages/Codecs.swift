// SPDX-License-Identifier: Apache-2.0
// Owns the zlib streams: one lazily built set, shared by the connections of one shard.

/// The compressors and decompressors of one executor. A compressor takes 268 KB and a decompressor
/// 44 KB, so connections on one executor should share a set. Each message still starts from a fresh
/// context. Not Sendable.
public final class Codecs {
  private var inflaters: [Compression: Inflater] = [:]
  private var deflaters: [Compression: Deflater] = [:]

  /// Creates an empty set. zlib streams are built on first use.
  public init() {}

  /// The inflated message, or the status that ends the call.
  func message(
    _ bytes: [UInt8], as encoding: Compression, limits: Limits
  ) -> Result<[UInt8], Status> {
    guard encoding != .identity else {
      return .failure(
        Status(.internal, "A message is compressed, but no encoding was declared."))
    }
    do throws(InflateError) {
      return .success(try inflate(bytes, as: encoding, limits: limits))
    } catch {
      return switch error {
      case .corrupt:
        .failure(Status(.internal, "A compressed message is corrupt."))
      case .tooLarge:
        .failure(Status(.resourceExhausted, "A compressed message unpacks to too much."))
      case .outOfMemory:
        .failure(Status(.resourceExhausted, "There is no memory to unpack a message."))
      }
    }
  }

  /// Encodes a message for sending. Compresses it if allowed and worthwhile.
  func encode(
    _ message: [UInt8], as encoding: Compression, _ compression: MessageCompression = .worthwhile,
    limits: Limits
  ) -> (bytes: [UInt8], isCompressed: Bool) {
    let isWanted =
      switch compression {
      case .never: false
      case .always: true
      case .worthwhile: message.count >= limits.compressionThresholdBytes
      }
    guard encoding != .identity, isWanted,
      let smaller = deflate(message, as: encoding, limits: limits)
    else { return (message, false) }
    return (smaller, true)
  }

  func inflate(
    _ bytes: [UInt8], as encoding: Compression, limits: Limits
  ) throws(InflateError) -> [UInt8] {
    guard let inflater = inflaters[encoding] ?? Inflater(encoding) else { throw .outOfMemory }
    inflaters[encoding] = inflater
    return try inflater.inflate(bytes, limits: limits)
  }

  /// The compressed bytes. Nil if they are not smaller, or so small that a peer with the same
  /// limits would treat them as a decompression bomb.
  func deflate(_ bytes: [UInt8], as encoding: Compression, limits: Limits) -> [UInt8]? {
    guard let deflater = deflaters[encoding] ?? Deflater(encoding) else { return nil }
    deflaters[encoding] = deflater
    guard let smaller = deflater.deflate(bytes) else { return nil }
    let isPlausible =
      bytes.count <= limits.inflateRatioFloorBytes
      || bytes.count / max(1, limits.maxInflateRatio) < smaller.count
    return isPlausible ? smaller : nil
  }
}

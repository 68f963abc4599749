// SPDX-License-Identifier: Apache-2.0
// Why a call failed, for programs: the reasons of docs/protocol/errors.md.

/// The reason in the `ErrorInfo` of a failed call. A later version may have more; treat an unknown
/// one by the call's status code.
public struct ErrorReason: RawRepresentable, Hashable, Sendable {
  /// The reason as it is sent: SCREAMING_CASE.
  public let rawValue: String

  /// A reason by its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  private init(_ name: String) { rawValue = name }

  /// The token is missing or unknown, or its device was revoked.
  public static let deviceUnknown = ErrorReason("DEVICE_UNKNOWN")
  /// The pairing code is wrong, used or expired.
  public static let pairingCodeInvalid = ErrorReason("PAIRING_CODE_INVALID")
  /// The code needs approval, and the request has no nonce.
  public static let pairingNonceMissing = ErrorReason("PAIRING_NONCE_MISSING")
  /// A later call of the same pending device took this one's place.
  public static let pairingSuperseded = ErrorReason("PAIRING_SUPERSEDED")
  /// Nobody waits for approval under this handle.
  public static let pendingDeviceNotFound = ErrorReason("PENDING_DEVICE_NOT_FOUND")
  /// The account has no such device.
  public static let deviceNotFound = ErrorReason("DEVICE_NOT_FOUND")
  /// A name is empty, too long, or has control characters.
  public static let nameInvalid = ErrorReason("NAME_INVALID")
  /// The name in the request is not the account's.
  public static let accountNameMismatch = ErrorReason("ACCOUNT_NAME_MISMATCH")
  /// The request breaks a rule of the protocol.
  public static let requestInvalid = ErrorReason("REQUEST_INVALID")
  /// The request is not a message of this protocol.
  public static let requestMalformed = ErrorReason("REQUEST_MALFORMED")
  /// The account has as many devices as it may have.
  public static let deviceLimit = ErrorReason("DEVICE_LIMIT")
  /// The account has as many unused pairing codes as it may have.
  public static let pairingCodeLimit = ErrorReason("PAIRING_CODE_LIMIT")
  /// The account holds as much as it may hold.
  public static let accountFull = ErrorReason("ACCOUNT_FULL")
  /// The device has as many Watch streams as it may have.
  public static let watchLimit = ErrorReason("WATCH_LIMIT")
  /// Too many wrong pairing codes came from there lately.
  public static let pairingAttemptRate = ErrorReason("PAIRING_ATTEMPT_RATE")
  /// Too many questions about the services came from there lately.
  public static let questionRate = ErrorReason("QUESTION_RATE")
  /// The account made too many codes or devices lately.
  public static let pairingRate = ErrorReason("PAIRING_RATE")
  /// The account's devices were renamed too often lately.
  public static let renameRate = ErrorReason("RENAME_RATE")
  /// Too many purchases were sent lately that do not verify.
  public static let purchaseRate = ErrorReason("PURCHASE_RATE")
  /// The server has too much to do.
  public static let serverBusy = ErrorReason("SERVER_BUSY")
  /// The server is stopping.
  public static let serverStopping = ErrorReason("SERVER_STOPPING")
  /// The account is being moved to another database.
  public static let accountMoving = ErrorReason("ACCOUNT_MOVING")
  /// The server's disk takes nothing new.
  public static let diskFull = ErrorReason("DISK_FULL")
  /// The server cannot reach its database. Nothing was stored.
  public static let storeUnreachable = ErrorReason("STORE_UNREACHABLE")
  /// The server's store failed.
  public static let storeFailed = ErrorReason("STORE_FAILED")
  /// The server does not know whether the request was stored.
  public static let outcomeUnknown = ErrorReason("OUTCOME_UNKNOWN")
  /// The account is removed; its values may still be in the database's files.
  public static let erasurePending = ErrorReason("ERASURE_PENDING")

  /// The owner has an account of this name already.
  public static let accountExists = ErrorReason("ACCOUNT_EXISTS")
  /// The owner has no account of this name.
  public static let accountNotFound = ErrorReason("ACCOUNT_NOT_FOUND")
  /// The account could not be moved to another cell.
  public static let accountMoveFailed = ErrorReason("ACCOUNT_MOVE_FAILED")
  /// The backup could not be made.
  public static let backupFailed = ErrorReason("BACKUP_FAILED")
  /// The file that a backup should go to exists.
  public static let backupFileExists = ErrorReason("BACKUP_FILE_EXISTS")
  /// Another backup is under way.
  public static let backupRunning = ErrorReason("BACKUP_RUNNING")
  /// The store has other means for backups.
  public static let backupUnsupported = ErrorReason("BACKUP_UNSUPPORTED")
  /// This server does not serve the cell.
  public static let cellNotServed = ErrorReason("CELL_NOT_SERVED")
  /// A list has more entries than an answer.
  public static let listTooLong = ErrorReason("LIST_TOO_LONG")
  /// The server verifies no purchases.
  public static let purchasesUnverified = ErrorReason("PURCHASES_UNVERIFIED")

  /// All reasons of this version.
  public static let all: [ErrorReason] = [
    accountExists, accountFull, accountMoveFailed, accountMoving, accountNameMismatch,
    accountNotFound, backupFailed, backupFileExists, backupRunning, backupUnsupported,
    cellNotServed, deviceLimit, deviceNotFound, deviceUnknown, diskFull, erasurePending,
    listTooLong, nameInvalid, outcomeUnknown, pairingAttemptRate, pairingCodeInvalid,
    pairingCodeLimit, pairingNonceMissing, pairingRate, pairingSuperseded, pendingDeviceNotFound,
    purchasesUnverified, purchaseRate, renameRate, requestInvalid, requestMalformed, serverBusy,
    serverStopping,
    storeFailed, storeUnreachable, watchLimit,
  ]
}

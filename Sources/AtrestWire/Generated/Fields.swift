// SPDX-License-Identifier: Apache-2.0
// The field numbers of the public messages. Made by Scripts/generate-protos.

/// The numbers of each message's fields. `nil` for a number is a field of a later version.
enum Fields {
  enum AccountsGetResponse: UInt32, FieldNumbers {
    case name = 1
    case createdMs = 2
    case devices = 3
    case records = 4
    case bytes = 5
    case limits = 6
  }

  enum AccountsDeleteRequest: UInt32, FieldNumbers {
    case accountName = 1
  }

  enum EventsRequest: UInt32, FieldNumbers {
    case pageSize = 2
    case pageToken = 3
  }

  enum EventsResponse: UInt32, FieldNumbers {
    case events = 1
    case nextPageToken = 3
  }

  enum Event: UInt32, FieldNumbers {
    case number = 1
    case atMs = 2
    case kind = 3
    case actor = 4
    case subject = 5
    case detail = 6
    case count = 7
  }

  enum PairRequest: UInt32, FieldNumbers {
    case code = 1
    case deviceName = 2
    case nonce = 3
  }

  enum PairResponse: UInt32, FieldNumbers {
    case replica = 1
    case token = 2
    case accountName = 3
    case serverTimeMs = 4
    case deviceName = 5
  }

  enum RenewRequest: UInt32, FieldNumbers {
    case nonce = 1
  }

  enum RenewResponse: UInt32, FieldNumbers {
    case replica = 1
    case token = 2
    case accountName = 3
    case serverTimeMs = 4
    case deviceName = 5
  }

  enum InviteRequest: UInt32, FieldNumbers {
    case withoutApproval = 1
  }

  enum InviteResponse: UInt32, FieldNumbers {
    case code = 1
    case expiresMs = 2
    case needsApproval = 3
    case servesApp = 4
  }

  enum ListPendingDevicesResponse: UInt32, FieldNumbers {
    case pendingDevices = 1
  }

  enum PendingDevice: UInt32, FieldNumbers {
    case handle = 1
    case name = 2
    case sinceMs = 3
    case expiresMs = 4
    case inviter = 5
    case digits = 6
  }

  enum ResolvePendingDeviceRequest: UInt32, FieldNumbers {
    case handle = 1
    case allow = 2
  }

  enum ResolvePendingDeviceResponse: UInt32, FieldNumbers {
    case deviceName = 1
    case replica = 2
  }

  enum DevicesListResponse: UInt32, FieldNumbers {
    case devices = 1
  }

  enum Device: UInt32, FieldNumbers {
    case replica = 1
    case name = 2
    case pairedMs = 3
    case seenMs = 4
    case revokedMs = 5
    case current = 6
    case parent = 7
    case renewed = 8
    case approver = 9
  }

  enum DevicesRenameRequest: UInt32, FieldNumbers {
    case replica = 1
    case name = 2
  }

  enum DevicesRenameResponse: UInt32, FieldNumbers {
    case name = 1
  }

  enum DevicesRevokeRequest: UInt32, FieldNumbers {
    case replica = 1
    case withDescendants = 2
  }

  enum DevicesRevokeResponse: UInt32, FieldNumbers {
    case revokedReplicas = 1
    case remainingReplicas = 2
    case sparedReplicas = 3
  }

  enum EntitlementsSubmitRequest: UInt32, FieldNumbers {
    case signedTransaction = 1
    case transfer = 2
  }

  enum EntitlementsSubmitResponse: UInt32, FieldNumbers {
    case rejection = 1
  }

  enum Rejection: UInt32, FieldNumbers {
    case code = 1
    case check = 2
    case message = 3
    case retryable = 4
  }

  enum EntitlementsGetResponse: UInt32, FieldNumbers {
    case appAccountToken = 1
    case verifies = 2
    case held = 3
    case serverTimeMs = 4
  }

  enum Stamp: UInt32, FieldNumbers {
    case clock = 1
    case replica = 2
  }

  enum Register: UInt32, FieldNumbers {
    case field = 1
    case stamp = 2
    case replaced = 3
    case value = 4
    case heldStamps = 5
  }

  enum Record: UInt32, FieldNumbers {
    case kind = 1
    case id = 2
    case registers = 3
  }

  enum Session: UInt32, FieldNumbers {
    case deleted = 1
    case span = 2
    case targetMinutes = 3
    case pruneFloor = 15
  }

  enum SessionSpan: UInt32, FieldNumbers {
    case startMs = 1
    case endMs = 2
    case outcome = 3
  }

  enum Water: UInt32, FieldNumbers {
    case deleted = 1
    case intake = 2
    case pruneFloor = 15
  }

  enum WaterIntake: UInt32, FieldNumbers {
    case atMs = 1
    case millilitres = 2
  }

  enum Preference: UInt32, FieldNumbers {
    case deleted = 1
    case value = 2
    case pruneFloor = 15
  }

  enum Entitlement: UInt32, FieldNumbers {
    case signedTransaction = 2
  }

  enum Conflict: UInt32, FieldNumbers {
    case deleted = 1
    case entry = 2
    case record = 3
    case pruneFloor = 15
  }

  enum ConflictEntry: UInt32, FieldNumbers {
    case kind = 1
    case id = 2
    case field = 3
    case lost = 4
    case kept = 5
    case noticedMs = 6
  }

  enum ServerInfoResponse: UInt32, FieldNumbers {
    case version = 1
    case serverTimeMs = 2
    case limits = 3
    case capabilities = 4
  }

  enum Limits: UInt32, FieldNumbers {
    case records = 1
    case bytes = 2
    case messageBytes = 3
    case recordsPerRequest = 4
    case valueBytes = 5
    case recordBytes = 6
    case watchStreams = 7
  }

  enum Cursor: UInt32, FieldNumbers {
    case commit = 1
    case sequence = 2
  }

  enum ExchangeRequest: UInt32, FieldNumbers {
    case cursor = 1
    case offers = 2
    case lastKnownHead = 3
    case allowMassDeletion = 5
    case segment = 6
    case peek = 7
    case deviceTimeMs = 8
  }

  enum OutboxSegment: UInt32, FieldNumbers {
    case confirmed = 1
    case token = 2
    case settledThrough = 3
    case steps = 4
    case confirmedNumber = 5
  }

  enum OutboxPosition: UInt32, FieldNumbers {
    case number = 1
    case token = 2
  }

  enum Offer: UInt32, FieldNumbers {
    case record = 1
    case writtenFields = 2
    case restored = 3
  }

  enum ExchangeResponse: UInt32, FieldNumbers {
    case refusals = 1
    case supersededOffers = 2
    case records = 3
    case cursor = 4
    case more = 5
    case restarted = 6
    case serverTimeMs = 7
    case head = 9
    case takenThrough = 10
    case clockDoubtful = 11
  }

  enum Refusal: UInt32, FieldNumbers {
    case index = 1
    case reason = 2
    case message = 3
  }

  enum WatchRequest: UInt32, FieldNumbers {
    case cursor = 1
  }

  enum WatchResponse: UInt32, FieldNumbers {
    case after = 1
    case records = 2
    case cursor = 3
    case serverTimeMs = 4
  }

  enum ReconcileRequest: UInt32, FieldNumbers {
    case ranges = 1
    case lastKnownHead = 2
  }

  enum Range: UInt32, FieldNumbers {
    case end = 1
    case mode = 2
    case count = 3
    case fingerprint = 4
    case items = 5
  }

  enum Item: UInt32, FieldNumbers {
    case key = 1
    case fingerprint = 2
  }

  enum ReconcileResponse: UInt32, FieldNumbers {
    case ranges = 1
    case records = 2
    case wantedKeys = 3
    case serverTimeMs = 4
    case restarted = 5
  }

  enum ErrorInfo: UInt32, FieldNumbers {
    case reason = 1
    case domain = 2
    case metadata = 3
  }

  enum RetryInfo: UInt32, FieldNumbers {
    case retryDelay = 1
  }

  enum QuotaFailure: UInt32, FieldNumbers {
    case violations = 1
  }

  enum QuotaFailureViolation: UInt32, FieldNumbers {
    case subject = 1
    case description = 2
  }

  enum Status: UInt32, FieldNumbers {
    case code = 1
    case message = 2
    case details = 3
  }

  enum HealthCheckRequest: UInt32, FieldNumbers {
    case service = 1
  }

  enum HealthCheckResponse: UInt32, FieldNumbers {
    case status = 1
  }

  enum HealthListResponse: UInt32, FieldNumbers {
    case statuses = 1
  }
}

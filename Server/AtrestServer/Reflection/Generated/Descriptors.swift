// SPDX-License-Identifier: Apache-2.0
// The descriptors of the services for devices. Made by Scripts/generate-protos.

/// The files of Protos/ that a device may ask for.
enum Descriptors {
  /// In the order of their dependencies.
  static let files: [ReflectedFile] = [
    ReflectedFile(
      name: "atrest/sync/v1/accounts.proto",
      imports: [],
      services: ["atrest.sync.v1.Accounts"],
      symbols: [
        "atrest.sync.v1.GetAccountRequest", "atrest.sync.v1.GetAccountResponse",
        "atrest.sync.v1.GetAccountResponse.name", "atrest.sync.v1.GetAccountResponse.created_ms",
        "atrest.sync.v1.GetAccountResponse.devices", "atrest.sync.v1.GetAccountResponse.records",
        "atrest.sync.v1.GetAccountResponse.bytes", "atrest.sync.v1.GetAccountResponse.limits",
        "atrest.sync.v1.Limits", "atrest.sync.v1.Limits.records", "atrest.sync.v1.Limits.bytes",
        "atrest.sync.v1.Limits.message_bytes", "atrest.sync.v1.Limits.records_per_request",
        "atrest.sync.v1.Limits.value_bytes", "atrest.sync.v1.Limits.record_bytes",
        "atrest.sync.v1.Limits.watch_streams", "atrest.sync.v1.DeleteAccountRequest",
        "atrest.sync.v1.DeleteAccountRequest.account_name", "atrest.sync.v1.DeleteAccountResponse",
        "atrest.sync.v1.EventsRequest", "atrest.sync.v1.EventsRequest.before",
        "atrest.sync.v1.EventsRequest.limit", "atrest.sync.v1.EventsResponse",
        "atrest.sync.v1.EventsResponse.events", "atrest.sync.v1.EventsResponse.more",
        "atrest.sync.v1.Event", "atrest.sync.v1.Event.number", "atrest.sync.v1.Event.at_ms",
        "atrest.sync.v1.Event.kind", "atrest.sync.v1.Event.actor", "atrest.sync.v1.Event.subject",
        "atrest.sync.v1.Event.detail", "atrest.sync.v1.Event.count", "atrest.sync.v1.Event.Kind",
        "atrest.sync.v1.Event.KIND_UNSPECIFIED", "atrest.sync.v1.Event.KIND_ACCOUNT_MADE",
        "atrest.sync.v1.Event.KIND_ACCOUNT_REMOVED", "atrest.sync.v1.Event.KIND_CODE_MADE",
        "atrest.sync.v1.Event.KIND_CODE_REFUSED", "atrest.sync.v1.Event.KIND_DEVICE_PAIRED",
        "atrest.sync.v1.Event.KIND_DEVICE_APPROVED", "atrest.sync.v1.Event.KIND_DEVICE_DENIED",
        "atrest.sync.v1.Event.KIND_DEVICE_RENAMED", "atrest.sync.v1.Event.KIND_DEVICE_REVOKED",
        "atrest.sync.v1.Event.KIND_DEVICE_RENEWED", "atrest.sync.v1.Event.KIND_MASS_DELETION",
        "atrest.sync.v1.Event.KIND_PURCHASE_TAKEN", "atrest.sync.v1.Event.KIND_PURCHASE_REFUSED",
        "atrest.sync.v1.Event.KIND_PURCHASE_MOVED", "atrest.sync.v1.Event.KIND_BACKUP_MADE",
        "atrest.sync.v1.Event.KIND_RESTORE_NOTICED", "atrest.sync.v1.Accounts",
        "atrest.sync.v1.Accounts.Get", "atrest.sync.v1.Accounts.Delete",
        "atrest.sync.v1.Accounts.Events",
      ],
      base64: """
        Ch1hdHJlc3Qvc3luYy92MS9hY2NvdW50cy5wcm90bxIOYXRyZXN0LnN5bmMudjEiEwoRR2V0QWNjb3VudFJlcXVlc3\
        QiwQEKEkdldEFjY291bnRSZXNwb25zZRISCgRuYW1lGAEgASgJUgRuYW1lEh0KCmNyZWF0ZWRfbXMYAiABKANSCWNy\
        ZWF0ZWRNcxIYCgdkZXZpY2VzGAMgASgNUgdkZXZpY2VzEhgKB3JlY29yZHMYBCABKARSB3JlY29yZHMSFAoFYnl0ZX\
        MYBSABKARSBWJ5dGVzEi4KBmxpbWl0cxgGIAEoCzIWLmF0cmVzdC5zeW5jLnYxLkxpbWl0c1IGbGltaXRzIvYBCgZM\
        aW1pdHMSGAoHcmVjb3JkcxgBIAEoBFIHcmVjb3JkcxIUCgVieXRlcxgCIAEoBFIFYnl0ZXMSIwoNbWVzc2FnZV9ieX\
        RlcxgDIAEoDVIMbWVzc2FnZUJ5dGVzEi4KE3JlY29yZHNfcGVyX3JlcXVlc3QYBCABKA1SEXJlY29yZHNQZXJSZXF1\
        ZXN0Eh8KC3ZhbHVlX2J5dGVzGAUgASgNUgp2YWx1ZUJ5dGVzEiEKDHJlY29yZF9ieXRlcxgGIAEoDVILcmVjb3JkQn\
        l0ZXMSIwoNd2F0Y2hfc3RyZWFtcxgHIAEoDVIMd2F0Y2hTdHJlYW1zIjkKFERlbGV0ZUFjY291bnRSZXF1ZXN0EiEK\
        DGFjY291bnRfbmFtZRgBIAEoCVILYWNjb3VudE5hbWUiFwoVRGVsZXRlQWNjb3VudFJlc3BvbnNlIj0KDUV2ZW50c1\
        JlcXVlc3QSFgoGYmVmb3JlGAEgASgEUgZiZWZvcmUSFAoFbGltaXQYAiABKA1SBWxpbWl0IlMKDkV2ZW50c1Jlc3Bv\
        bnNlEi0KBmV2ZW50cxgBIAMoCzIVLmF0cmVzdC5zeW5jLnYxLkV2ZW50UgZldmVudHMSEgoEbW9yZRgCIAEoCFIEbW\
        9yZSLnBAoFRXZlbnQSFgoGbnVtYmVyGAEgASgEUgZudW1iZXISEwoFYXRfbXMYAiABKANSBGF0TXMSLgoEa2luZBgD\
        IAEoDjIaLmF0cmVzdC5zeW5jLnYxLkV2ZW50LktpbmRSBGtpbmQSFAoFYWN0b3IYBCABKAZSBWFjdG9yEhgKB3N1Ym\
        plY3QYBSABKAZSB3N1YmplY3QSFgoGZGV0YWlsGAYgASgDUgZkZXRhaWwSFAoFY291bnQYByABKA1SBWNvdW50IqID\
        CgRLaW5kEhQKEEtJTkRfVU5TUEVDSUZJRUQQABIVChFLSU5EX0FDQ09VTlRfTUFERRABEhgKFEtJTkRfQUNDT1VOVF\
        9SRU1PVkVEEAISEgoOS0lORF9DT0RFX01BREUQAxIVChFLSU5EX0NPREVfUkVGVVNFRBAEEhYKEktJTkRfREVWSUNF\
        X1BBSVJFRBAFEhgKFEtJTkRfREVWSUNFX0FQUFJPVkVEEAYSFgoSS0lORF9ERVZJQ0VfREVOSUVEEAcSFwoTS0lORF\
        9ERVZJQ0VfUkVOQU1FRBAIEhcKE0tJTkRfREVWSUNFX1JFVk9LRUQQCRIXChNLSU5EX0RFVklDRV9SRU5FV0VEEAoS\
        FgoSS0lORF9NQVNTX0RFTEVUSU9OEAsSFwoTS0lORF9QVVJDSEFTRV9UQUtFThAMEhkKFUtJTkRfUFVSQ0hBU0VfUk\
        VGVVNFRBANEhcKE0tJTkRfUFVSQ0hBU0VfTU9WRUQQDhIUChBLSU5EX0JBQ0tVUF9NQURFEA8SGAoUS0lORF9SRVNU\
        T1JFX05PVElDRUQQEDL4AQoIQWNjb3VudHMSTAoDR2V0EiEuYXRyZXN0LnN5bmMudjEuR2V0QWNjb3VudFJlcXVlc3\
        QaIi5hdHJlc3Quc3luYy52MS5HZXRBY2NvdW50UmVzcG9uc2USVQoGRGVsZXRlEiQuYXRyZXN0LnN5bmMudjEuRGVs\
        ZXRlQWNjb3VudFJlcXVlc3QaJS5hdHJlc3Quc3luYy52MS5EZWxldGVBY2NvdW50UmVzcG9uc2USRwoGRXZlbnRzEh\
        0uYXRyZXN0LnN5bmMudjEuRXZlbnRzUmVxdWVzdBoeLmF0cmVzdC5zeW5jLnYxLkV2ZW50c1Jlc3BvbnNlYgZwcm90\
        bzM=\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/devices.proto",
      imports: [],
      services: ["atrest.sync.v1.Devices"],
      symbols: [
        "atrest.sync.v1.PairRequest", "atrest.sync.v1.PairRequest.code",
        "atrest.sync.v1.PairRequest.device_name", "atrest.sync.v1.PairRequest.nonce",
        "atrest.sync.v1.PairResponse", "atrest.sync.v1.PairResponse.replica",
        "atrest.sync.v1.PairResponse.token", "atrest.sync.v1.PairResponse.account_name",
        "atrest.sync.v1.PairResponse.server_time_ms", "atrest.sync.v1.PairResponse.device_name",
        "atrest.sync.v1.RenewRequest", "atrest.sync.v1.RenewRequest.nonce",
        "atrest.sync.v1.InviteRequest", "atrest.sync.v1.InviteRequest.without_approval",
        "atrest.sync.v1.InviteResponse", "atrest.sync.v1.InviteResponse.code",
        "atrest.sync.v1.InviteResponse.expires_ms", "atrest.sync.v1.InviteResponse.needs_approval",
        "atrest.sync.v1.ListPendingDevicesRequest", "atrest.sync.v1.ListPendingDevicesResponse",
        "atrest.sync.v1.ListPendingDevicesResponse.pending_devices", "atrest.sync.v1.PendingDevice",
        "atrest.sync.v1.PendingDevice.handle", "atrest.sync.v1.PendingDevice.name",
        "atrest.sync.v1.PendingDevice.since_ms", "atrest.sync.v1.PendingDevice.expires_ms",
        "atrest.sync.v1.PendingDevice.inviter", "atrest.sync.v1.PendingDevice.digits",
        "atrest.sync.v1.ResolvePendingDeviceRequest",
        "atrest.sync.v1.ResolvePendingDeviceRequest.handle",
        "atrest.sync.v1.ResolvePendingDeviceRequest.allow",
        "atrest.sync.v1.ResolvePendingDeviceResponse",
        "atrest.sync.v1.ResolvePendingDeviceResponse.device_name",
        "atrest.sync.v1.ResolvePendingDeviceResponse.replica", "atrest.sync.v1.ListDevicesRequest",
        "atrest.sync.v1.ListDevicesResponse", "atrest.sync.v1.ListDevicesResponse.devices",
        "atrest.sync.v1.Device", "atrest.sync.v1.Device.replica", "atrest.sync.v1.Device.name",
        "atrest.sync.v1.Device.paired_ms", "atrest.sync.v1.Device.seen_ms",
        "atrest.sync.v1.Device.revoked_ms", "atrest.sync.v1.Device.current",
        "atrest.sync.v1.Device.parent", "atrest.sync.v1.Device.renewed",
        "atrest.sync.v1.Device.approver", "atrest.sync.v1.RenameDeviceRequest",
        "atrest.sync.v1.RenameDeviceRequest.replica", "atrest.sync.v1.RenameDeviceRequest.name",
        "atrest.sync.v1.RenameDeviceResponse", "atrest.sync.v1.RenameDeviceResponse.name",
        "atrest.sync.v1.RevokeDeviceRequest", "atrest.sync.v1.RevokeDeviceRequest.replica",
        "atrest.sync.v1.RevokeDeviceRequest.with_descendants",
        "atrest.sync.v1.RevokeDeviceResponse", "atrest.sync.v1.RevokeDeviceResponse.revoked",
        "atrest.sync.v1.RevokeDeviceResponse.remaining",
        "atrest.sync.v1.RevokeDeviceResponse.spared", "atrest.sync.v1.Devices",
        "atrest.sync.v1.Devices.Pair", "atrest.sync.v1.Devices.Invite",
        "atrest.sync.v1.Devices.ListPendingDevices", "atrest.sync.v1.Devices.ResolvePendingDevice",
        "atrest.sync.v1.Devices.Renew", "atrest.sync.v1.Devices.List",
        "atrest.sync.v1.Devices.Rename", "atrest.sync.v1.Devices.Revoke",
      ],
      base64: """
        ChxhdHJlc3Qvc3luYy92MS9kZXZpY2VzLnByb3RvEg5hdHJlc3Quc3luYy52MSJYCgtQYWlyUmVxdWVzdBISCgRjb2\
        RlGAEgASgJUgRjb2RlEh8KC2RldmljZV9uYW1lGAIgASgJUgpkZXZpY2VOYW1lEhQKBW5vbmNlGAMgASgMUgVub25j\
        ZSKoAQoMUGFpclJlc3BvbnNlEhgKB3JlcGxpY2EYASABKAZSB3JlcGxpY2ESFAoFdG9rZW4YAiABKAlSBXRva2VuEi\
        EKDGFjY291bnRfbmFtZRgDIAEoCVILYWNjb3VudE5hbWUSJAoOc2VydmVyX3RpbWVfbXMYBCABKANSDHNlcnZlclRp\
        bWVNcxIfCgtkZXZpY2VfbmFtZRgFIAEoCVIKZGV2aWNlTmFtZSIkCgxSZW5ld1JlcXVlc3QSFAoFbm9uY2UYASABKA\
        xSBW5vbmNlIjoKDUludml0ZVJlcXVlc3QSKQoQd2l0aG91dF9hcHByb3ZhbBgBIAEoCFIPd2l0aG91dEFwcHJvdmFs\
        ImoKDkludml0ZVJlc3BvbnNlEhIKBGNvZGUYASABKAlSBGNvZGUSHQoKZXhwaXJlc19tcxgCIAEoA1IJZXhwaXJlc0\
        1zEiUKDm5lZWRzX2FwcHJvdmFsGAMgASgIUg1uZWVkc0FwcHJvdmFsIhsKGUxpc3RQZW5kaW5nRGV2aWNlc1JlcXVl\
        c3QiZAoaTGlzdFBlbmRpbmdEZXZpY2VzUmVzcG9uc2USRgoPcGVuZGluZ19kZXZpY2VzGAEgAygLMh0uYXRyZXN0Ln\
        N5bmMudjEuUGVuZGluZ0RldmljZVIOcGVuZGluZ0RldmljZXMipwEKDVBlbmRpbmdEZXZpY2USFgoGaGFuZGxlGAEg\
        ASgGUgZoYW5kbGUSEgoEbmFtZRgCIAEoCVIEbmFtZRIZCghzaW5jZV9tcxgDIAEoA1IHc2luY2VNcxIdCgpleHBpcm\
        VzX21zGAQgASgDUglleHBpcmVzTXMSGAoHaW52aXRlchgFIAEoBlIHaW52aXRlchIWCgZkaWdpdHMYBiABKAlSBmRp\
        Z2l0cyJLChtSZXNvbHZlUGVuZGluZ0RldmljZVJlcXVlc3QSFgoGaGFuZGxlGAEgASgGUgZoYW5kbGUSFAoFYWxsb3\
        cYAiABKAhSBWFsbG93IlkKHFJlc29sdmVQZW5kaW5nRGV2aWNlUmVzcG9uc2USHwoLZGV2aWNlX25hbWUYASABKAlS\
        CmRldmljZU5hbWUSGAoHcmVwbGljYRgCIAEoBlIHcmVwbGljYSIUChJMaXN0RGV2aWNlc1JlcXVlc3QiRwoTTGlzdE\
        RldmljZXNSZXNwb25zZRIwCgdkZXZpY2VzGAEgAygLMhYuYXRyZXN0LnN5bmMudjEuRGV2aWNlUgdkZXZpY2VzIvMB\
        CgZEZXZpY2USGAoHcmVwbGljYRgBIAEoBlIHcmVwbGljYRISCgRuYW1lGAIgASgJUgRuYW1lEhsKCXBhaXJlZF9tcx\
        gDIAEoA1IIcGFpcmVkTXMSFwoHc2Vlbl9tcxgEIAEoA1IGc2Vlbk1zEh0KCnJldm9rZWRfbXMYBSABKANSCXJldm9r\
        ZWRNcxIYCgdjdXJyZW50GAYgASgIUgdjdXJyZW50EhYKBnBhcmVudBgHIAEoBlIGcGFyZW50EhgKB3JlbmV3ZWQYCC\
        ABKAhSB3JlbmV3ZWQSGgoIYXBwcm92ZXIYCSABKAZSCGFwcHJvdmVyIkMKE1JlbmFtZURldmljZVJlcXVlc3QSGAoH\
        cmVwbGljYRgBIAEoBlIHcmVwbGljYRISCgRuYW1lGAIgASgJUgRuYW1lIioKFFJlbmFtZURldmljZVJlc3BvbnNlEh\
        IKBG5hbWUYASABKAlSBG5hbWUiWgoTUmV2b2tlRGV2aWNlUmVxdWVzdBIYCgdyZXBsaWNhGAEgASgGUgdyZXBsaWNh\
        EikKEHdpdGhfZGVzY2VuZGFudHMYAiABKAhSD3dpdGhEZXNjZW5kYW50cyJmChRSZXZva2VEZXZpY2VSZXNwb25zZR\
        IYCgdyZXZva2VkGAEgAygGUgdyZXZva2VkEhwKCXJlbWFpbmluZxgCIAMoBlIJcmVtYWluaW5nEhYKBnNwYXJlZBgD\
        IAMoBlIGc3BhcmVkMrUFCgdEZXZpY2VzEkEKBFBhaXISGy5hdHJlc3Quc3luYy52MS5QYWlyUmVxdWVzdBocLmF0cm\
        VzdC5zeW5jLnYxLlBhaXJSZXNwb25zZRJHCgZJbnZpdGUSHS5hdHJlc3Quc3luYy52MS5JbnZpdGVSZXF1ZXN0Gh4u\
        YXRyZXN0LnN5bmMudjEuSW52aXRlUmVzcG9uc2USawoSTGlzdFBlbmRpbmdEZXZpY2VzEikuYXRyZXN0LnN5bmMudj\
        EuTGlzdFBlbmRpbmdEZXZpY2VzUmVxdWVzdBoqLmF0cmVzdC5zeW5jLnYxLkxpc3RQZW5kaW5nRGV2aWNlc1Jlc3Bv\
        bnNlEnEKFFJlc29sdmVQZW5kaW5nRGV2aWNlEisuYXRyZXN0LnN5bmMudjEuUmVzb2x2ZVBlbmRpbmdEZXZpY2VSZX\
        F1ZXN0GiwuYXRyZXN0LnN5bmMudjEuUmVzb2x2ZVBlbmRpbmdEZXZpY2VSZXNwb25zZRJDCgVSZW5ldxIcLmF0cmVz\
        dC5zeW5jLnYxLlJlbmV3UmVxdWVzdBocLmF0cmVzdC5zeW5jLnYxLlBhaXJSZXNwb25zZRJPCgRMaXN0EiIuYXRyZX\
        N0LnN5bmMudjEuTGlzdERldmljZXNSZXF1ZXN0GiMuYXRyZXN0LnN5bmMudjEuTGlzdERldmljZXNSZXNwb25zZRJT\
        CgZSZW5hbWUSIy5hdHJlc3Quc3luYy52MS5SZW5hbWVEZXZpY2VSZXF1ZXN0GiQuYXRyZXN0LnN5bmMudjEuUmVuYW\
        1lRGV2aWNlUmVzcG9uc2USUwoGUmV2b2tlEiMuYXRyZXN0LnN5bmMudjEuUmV2b2tlRGV2aWNlUmVxdWVzdBokLmF0\
        cmVzdC5zeW5jLnYxLlJldm9rZURldmljZVJlc3BvbnNlYgZwcm90bzM=\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/entitlements.proto",
      imports: [],
      services: ["atrest.sync.v1.Entitlements"],
      symbols: [
        "atrest.sync.v1.SubmitTransactionRequest",
        "atrest.sync.v1.SubmitTransactionRequest.signed_transaction",
        "atrest.sync.v1.SubmitTransactionRequest.transfer",
        "atrest.sync.v1.SubmitTransactionResponse",
        "atrest.sync.v1.SubmitTransactionResponse.rejection", "atrest.sync.v1.Rejection",
        "atrest.sync.v1.Rejection.code", "atrest.sync.v1.Rejection.check",
        "atrest.sync.v1.Rejection.message", "atrest.sync.v1.Rejection.retryable",
        "atrest.sync.v1.GetEntitlementsRequest", "atrest.sync.v1.GetEntitlementsResponse",
        "atrest.sync.v1.GetEntitlementsResponse.app_account_token",
        "atrest.sync.v1.GetEntitlementsResponse.verifies",
        "atrest.sync.v1.GetEntitlementsResponse.held",
        "atrest.sync.v1.GetEntitlementsResponse.server_time_ms", "atrest.sync.v1.Entitlements",
        "atrest.sync.v1.Entitlements.Submit", "atrest.sync.v1.Entitlements.Get",
      ],
      base64: """
        CiFhdHJlc3Qvc3luYy92MS9lbnRpdGxlbWVudHMucHJvdG8SDmF0cmVzdC5zeW5jLnYxImUKGFN1Ym1pdFRyYW5zYW\
        N0aW9uUmVxdWVzdBItChJzaWduZWRfdHJhbnNhY3Rpb24YASABKAxSEXNpZ25lZFRyYW5zYWN0aW9uEhoKCHRyYW5z\
        ZmVyGAIgASgIUgh0cmFuc2ZlciJUChlTdWJtaXRUcmFuc2FjdGlvblJlc3BvbnNlEjcKCXJlamVjdGlvbhgBIAEoCz\
        IZLmF0cmVzdC5zeW5jLnYxLlJlamVjdGlvblIJcmVqZWN0aW9uIm0KCVJlamVjdGlvbhISCgRjb2RlGAEgASgJUgRj\
        b2RlEhQKBWNoZWNrGAIgASgNUgVjaGVjaxIYCgdtZXNzYWdlGAMgASgJUgdtZXNzYWdlEhwKCXJldHJ5YWJsZRgEIA\
        EoCFIJcmV0cnlhYmxlIhgKFkdldEVudGl0bGVtZW50c1JlcXVlc3QimwEKF0dldEVudGl0bGVtZW50c1Jlc3BvbnNl\
        EioKEWFwcF9hY2NvdW50X3Rva2VuGAEgASgMUg9hcHBBY2NvdW50VG9rZW4SGgoIdmVyaWZpZXMYAiABKAhSCHZlcm\
        lmaWVzEhIKBGhlbGQYAyABKA1SBGhlbGQSJAoOc2VydmVyX3RpbWVfbXMYBCABKANSDHNlcnZlclRpbWVNczLFAQoM\
        RW50aXRsZW1lbnRzEl0KBlN1Ym1pdBIoLmF0cmVzdC5zeW5jLnYxLlN1Ym1pdFRyYW5zYWN0aW9uUmVxdWVzdBopLm\
        F0cmVzdC5zeW5jLnYxLlN1Ym1pdFRyYW5zYWN0aW9uUmVzcG9uc2USVgoDR2V0EiYuYXRyZXN0LnN5bmMudjEuR2V0\
        RW50aXRsZW1lbnRzUmVxdWVzdBonLmF0cmVzdC5zeW5jLnYxLkdldEVudGl0bGVtZW50c1Jlc3BvbnNlYgZwcm90bz\
        M=\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/records.proto",
      imports: [],
      services: [],
      symbols: [
        "atrest.sync.v1.Stamp", "atrest.sync.v1.Stamp.clock", "atrest.sync.v1.Stamp.replica",
        "atrest.sync.v1.Register", "atrest.sync.v1.Register.field", "atrest.sync.v1.Register.stamp",
        "atrest.sync.v1.Register.replaced", "atrest.sync.v1.Register.value",
        "atrest.sync.v1.Record", "atrest.sync.v1.Record.kind", "atrest.sync.v1.Record.id",
        "atrest.sync.v1.Record.registers", "atrest.sync.v1.Session",
        "atrest.sync.v1.Session.deleted", "atrest.sync.v1.Session.span",
        "atrest.sync.v1.Session.target_minutes", "atrest.sync.v1.Session.prune_floor",
        "atrest.sync.v1.Session.Span", "atrest.sync.v1.Session.Span.start_ms",
        "atrest.sync.v1.Session.Span.end_ms", "atrest.sync.v1.Session.Span.outcome",
        "atrest.sync.v1.Session.Outcome", "atrest.sync.v1.Session.OUTCOME_ACTIVE",
        "atrest.sync.v1.Session.OUTCOME_COMPLETED", "atrest.sync.v1.Session.OUTCOME_ABANDONED",
        "atrest.sync.v1.Water", "atrest.sync.v1.Water.deleted", "atrest.sync.v1.Water.intake",
        "atrest.sync.v1.Water.prune_floor", "atrest.sync.v1.Water.Intake",
        "atrest.sync.v1.Water.Intake.at_ms", "atrest.sync.v1.Water.Intake.millilitres",
        "atrest.sync.v1.Preference", "atrest.sync.v1.Preference.deleted",
        "atrest.sync.v1.Preference.value", "atrest.sync.v1.Preference.prune_floor",
        "atrest.sync.v1.Entitlement", "atrest.sync.v1.Entitlement.signed_transaction",
        "atrest.sync.v1.Conflict", "atrest.sync.v1.Conflict.deleted",
        "atrest.sync.v1.Conflict.entry", "atrest.sync.v1.Conflict.prune_floor",
        "atrest.sync.v1.Conflict.Entry", "atrest.sync.v1.Conflict.Entry.kind",
        "atrest.sync.v1.Conflict.Entry.id", "atrest.sync.v1.Conflict.Entry.field",
        "atrest.sync.v1.Conflict.Entry.lost", "atrest.sync.v1.Conflict.Entry.kept",
        "atrest.sync.v1.Conflict.Entry.noticed_ms", "atrest.sync.v1.Kind",
        "atrest.sync.v1.KIND_UNSPECIFIED", "atrest.sync.v1.KIND_SESSION",
        "atrest.sync.v1.KIND_WATER", "atrest.sync.v1.KIND_PREFERENCE",
        "atrest.sync.v1.KIND_ENTITLEMENT", "atrest.sync.v1.KIND_CONFLICT",
      ],
      base64: """
        ChxhdHJlc3Qvc3luYy92MS9yZWNvcmRzLnByb3RvEg5hdHJlc3Quc3luYy52MSI3CgVTdGFtcBIUCgVjbG9jaxgBIA\
        EoBlIFY2xvY2sSGAoHcmVwbGljYRgCIAEoBlIHcmVwbGljYSKWAQoIUmVnaXN0ZXISFAoFZmllbGQYASABKA1SBWZp\
        ZWxkEisKBXN0YW1wGAIgASgLMhUuYXRyZXN0LnN5bmMudjEuU3RhbXBSBXN0YW1wEjEKCHJlcGxhY2VkGAMgASgLMh\
        UuYXRyZXN0LnN5bmMudjEuU3RhbXBSCHJlcGxhY2VkEhQKBXZhbHVlGAQgASgMUgV2YWx1ZSJ6CgZSZWNvcmQSKAoE\
        a2luZBgBIAEoDjIULmF0cmVzdC5zeW5jLnYxLktpbmRSBGtpbmQSDgoCaWQYAiABKAxSAmlkEjYKCXJlZ2lzdGVycx\
        gDIAMoCzIYLmF0cmVzdC5zeW5jLnYxLlJlZ2lzdGVyUglyZWdpc3RlcnMi3wIKB1Nlc3Npb24SGAoHZGVsZXRlZBgB\
        IAEoCFIHZGVsZXRlZBIwCgRzcGFuGAIgASgLMhwuYXRyZXN0LnN5bmMudjEuU2Vzc2lvbi5TcGFuUgRzcGFuEiUKDn\
        RhcmdldF9taW51dGVzGAMgASgNUg10YXJnZXRNaW51dGVzEh8KC3BydW5lX2Zsb29yGA8gASgIUgpwcnVuZUZsb29y\
        GnMKBFNwYW4SGQoIc3RhcnRfbXMYASABKANSB3N0YXJ0TXMSFQoGZW5kX21zGAIgASgDUgVlbmRNcxI5CgdvdXRjb2\
        1lGAMgASgOMh8uYXRyZXN0LnN5bmMudjEuU2Vzc2lvbi5PdXRjb21lUgdvdXRjb21lIksKB091dGNvbWUSEgoOT1VU\
        Q09NRV9BQ1RJVkUQABIVChFPVVRDT01FX0NPTVBMRVRFRBABEhUKEU9VVENPTUVfQUJBTkRPTkVEEAIiuQEKBVdhdG\
        VyEhgKB2RlbGV0ZWQYASABKAhSB2RlbGV0ZWQSNAoGaW50YWtlGAIgASgLMhwuYXRyZXN0LnN5bmMudjEuV2F0ZXIu\
        SW50YWtlUgZpbnRha2USHwoLcHJ1bmVfZmxvb3IYDyABKAhSCnBydW5lRmxvb3IaPwoGSW50YWtlEhMKBWF0X21zGA\
        EgASgDUgRhdE1zEiAKC21pbGxpbGl0cmVzGAIgASgNUgttaWxsaWxpdHJlcyJdCgpQcmVmZXJlbmNlEhgKB2RlbGV0\
        ZWQYASABKAhSB2RlbGV0ZWQSFAoFdmFsdWUYAiABKAlSBXZhbHVlEh8KC3BydW5lX2Zsb29yGA8gASgIUgpwcnVuZU\
        Zsb29yIjwKC0VudGl0bGVtZW50Ei0KEnNpZ25lZF90cmFuc2FjdGlvbhgCIAEoDFIRc2lnbmVkVHJhbnNhY3Rpb24i\
        0AIKCENvbmZsaWN0EhgKB2RlbGV0ZWQYASABKAhSB2RlbGV0ZWQSNAoFZW50cnkYAiABKAsyHi5hdHJlc3Quc3luYy\
        52MS5Db25mbGljdC5FbnRyeVIFZW50cnkSHwoLcHJ1bmVfZmxvb3IYDyABKAhSCnBydW5lRmxvb3Ia0gEKBUVudHJ5\
        EigKBGtpbmQYASABKA4yFC5hdHJlc3Quc3luYy52MS5LaW5kUgRraW5kEg4KAmlkGAIgASgMUgJpZBIUCgVmaWVsZB\
        gDIAEoDVIFZmllbGQSLAoEbG9zdBgEIAEoCzIYLmF0cmVzdC5zeW5jLnYxLlJlZ2lzdGVyUgRsb3N0EiwKBGtlcHQY\
        BSABKAsyGC5hdHJlc3Quc3luYy52MS5SZWdpc3RlclIEa2VwdBIdCgpub3RpY2VkX21zGAYgASgDUglub3RpY2VkTX\
        MqfAoES2luZBIUChBLSU5EX1VOU1BFQ0lGSUVEEAASEAoMS0lORF9TRVNTSU9OEAESDgoKS0lORF9XQVRFUhACEhMK\
        D0tJTkRfUFJFRkVSRU5DRRADEhQKEEtJTkRfRU5USVRMRU1FTlQQBBIRCg1LSU5EX0NPTkZMSUNUEAViBnByb3RvMw\
        ==\

        """),
    ReflectedFile(
      name: "atrest/sync/v1/sync.proto",
      imports: ["atrest/sync/v1/records.proto"],
      services: ["atrest.sync.v1.Sync"],
      symbols: [
        "atrest.sync.v1.Cursor", "atrest.sync.v1.Cursor.commit", "atrest.sync.v1.Cursor.sequence",
        "atrest.sync.v1.ExchangeRequest", "atrest.sync.v1.ExchangeRequest.cursor",
        "atrest.sync.v1.ExchangeRequest.offers", "atrest.sync.v1.ExchangeRequest.last_known_head",
        "atrest.sync.v1.ExchangeRequest.allow_mass_deletion",
        "atrest.sync.v1.ExchangeRequest.segment", "atrest.sync.v1.ExchangeRequest.peek",
        "atrest.sync.v1.ExchangeRequest.device_time_ms", "atrest.sync.v1.OutboxSegment",
        "atrest.sync.v1.OutboxSegment.confirmed", "atrest.sync.v1.OutboxSegment.token",
        "atrest.sync.v1.OutboxSegment.settled_through", "atrest.sync.v1.OutboxSegment.steps",
        "atrest.sync.v1.OutboxPosition", "atrest.sync.v1.OutboxPosition.number",
        "atrest.sync.v1.OutboxPosition.token", "atrest.sync.v1.Offer",
        "atrest.sync.v1.Offer.record", "atrest.sync.v1.Offer.written",
        "atrest.sync.v1.Offer.restored", "atrest.sync.v1.ExchangeResponse",
        "atrest.sync.v1.ExchangeResponse.refusals", "atrest.sync.v1.ExchangeResponse.superseded",
        "atrest.sync.v1.ExchangeResponse.records", "atrest.sync.v1.ExchangeResponse.cursor",
        "atrest.sync.v1.ExchangeResponse.more", "atrest.sync.v1.ExchangeResponse.restarted",
        "atrest.sync.v1.ExchangeResponse.server_time_ms", "atrest.sync.v1.ExchangeResponse.head",
        "atrest.sync.v1.ExchangeResponse.taken_through",
        "atrest.sync.v1.ExchangeResponse.clock_doubtful", "atrest.sync.v1.Refusal",
        "atrest.sync.v1.Refusal.index", "atrest.sync.v1.Refusal.reason",
        "atrest.sync.v1.Refusal.message", "atrest.sync.v1.Refusal.Reason",
        "atrest.sync.v1.Refusal.REASON_UNSPECIFIED", "atrest.sync.v1.Refusal.REASON_CLOCK_SKEW",
        "atrest.sync.v1.Refusal.REASON_INVALID", "atrest.sync.v1.Refusal.REASON_TOO_LARGE",
        "atrest.sync.v1.Refusal.REASON_MASS_DELETION", "atrest.sync.v1.Refusal.REASON_DAMAGED",
        "atrest.sync.v1.Refusal.REASON_QUOTA", "atrest.sync.v1.WatchRequest",
        "atrest.sync.v1.WatchRequest.cursor", "atrest.sync.v1.WatchEvent",
        "atrest.sync.v1.WatchEvent.after", "atrest.sync.v1.WatchEvent.records",
        "atrest.sync.v1.WatchEvent.cursor", "atrest.sync.v1.WatchEvent.server_time_ms",
        "atrest.sync.v1.ReconcileRequest", "atrest.sync.v1.ReconcileRequest.ranges",
        "atrest.sync.v1.ReconcileRequest.last_known_head", "atrest.sync.v1.Range",
        "atrest.sync.v1.Range.end", "atrest.sync.v1.Range.mode", "atrest.sync.v1.Range.count",
        "atrest.sync.v1.Range.fingerprint", "atrest.sync.v1.Range.items",
        "atrest.sync.v1.Range.Mode", "atrest.sync.v1.Range.MODE_SETTLED",
        "atrest.sync.v1.Range.MODE_FINGERPRINT", "atrest.sync.v1.Range.MODE_ITEMS",
        "atrest.sync.v1.Item", "atrest.sync.v1.Item.key", "atrest.sync.v1.Item.fingerprint",
        "atrest.sync.v1.ReconcileResponse", "atrest.sync.v1.ReconcileResponse.ranges",
        "atrest.sync.v1.ReconcileResponse.records", "atrest.sync.v1.ReconcileResponse.wanted",
        "atrest.sync.v1.ReconcileResponse.server_time_ms",
        "atrest.sync.v1.ReconcileResponse.restarted", "atrest.sync.v1.Sync",
        "atrest.sync.v1.Sync.Exchange", "atrest.sync.v1.Sync.Watch",
        "atrest.sync.v1.Sync.Reconcile",
      ],
      base64: """
        ChlhdHJlc3Qvc3luYy92MS9zeW5jLnByb3RvEg5hdHJlc3Quc3luYy52MRocYXRyZXN0L3N5bmMvdjEvcmVjb3Jkcy\
        5wcm90byI8CgZDdXJzb3ISFgoGY29tbWl0GAEgASgGUgZjb21taXQSGgoIc2VxdWVuY2UYAiABKARSCHNlcXVlbmNl\
        ItkCCg9FeGNoYW5nZVJlcXVlc3QSLgoGY3Vyc29yGAEgASgLMhYuYXRyZXN0LnN5bmMudjEuQ3Vyc29yUgZjdXJzb3\
        ISLQoGb2ZmZXJzGAIgAygLMhUuYXRyZXN0LnN5bmMudjEuT2ZmZXJSBm9mZmVycxI+Cg9sYXN0X2tub3duX2hlYWQY\
        AyABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSDWxhc3RLbm93bkhlYWQSLgoTYWxsb3dfbWFzc19kZWxldGlvbh\
        gFIAEoCFIRYWxsb3dNYXNzRGVsZXRpb24SNwoHc2VnbWVudBgGIAEoCzIdLmF0cmVzdC5zeW5jLnYxLk91dGJveFNl\
        Z21lbnRSB3NlZ21lbnQSEgoEcGVlaxgHIAEoCFIEcGVlaxIkCg5kZXZpY2VfdGltZV9tcxgIIAEoA1IMZGV2aWNlVG\
        ltZU1zSgQIBBAFIoIBCg1PdXRib3hTZWdtZW50EhwKCWNvbmZpcm1lZBgBIAEoBlIJY29uZmlybWVkEhQKBXRva2Vu\
        GAIgASgGUgV0b2tlbhInCg9zZXR0bGVkX3Rocm91Z2gYAyABKARSDnNldHRsZWRUaHJvdWdoEhQKBXN0ZXBzGAQgAy\
        gNUgVzdGVwcyI+Cg5PdXRib3hQb3NpdGlvbhIWCgZudW1iZXIYASABKARSBm51bWJlchIUCgV0b2tlbhgCIAEoBlIF\
        dG9rZW4ibQoFT2ZmZXISLgoGcmVjb3JkGAEgASgLMhYuYXRyZXN0LnN5bmMudjEuUmVjb3JkUgZyZWNvcmQSGAoHd3\
        JpdHRlbhgCIAMoDVIHd3JpdHRlbhIaCghyZXN0b3JlZBgDIAEoCFIIcmVzdG9yZWQivwMKEEV4Y2hhbmdlUmVzcG9u\
        c2USMwoIcmVmdXNhbHMYASADKAsyFy5hdHJlc3Quc3luYy52MS5SZWZ1c2FsUghyZWZ1c2FscxIeCgpzdXBlcnNlZG\
        VkGAIgAygNUgpzdXBlcnNlZGVkEjAKB3JlY29yZHMYAyADKAsyFi5hdHJlc3Quc3luYy52MS5SZWNvcmRSB3JlY29y\
        ZHMSLgoGY3Vyc29yGAQgASgLMhYuYXRyZXN0LnN5bmMudjEuQ3Vyc29yUgZjdXJzb3ISEgoEbW9yZRgFIAEoCFIEbW\
        9yZRIcCglyZXN0YXJ0ZWQYBiABKAhSCXJlc3RhcnRlZBIkCg5zZXJ2ZXJfdGltZV9tcxgHIAEoA1IMc2VydmVyVGlt\
        ZU1zEioKBGhlYWQYCSABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSBGhlYWQSQwoNdGFrZW5fdGhyb3VnaBgKIA\
        EoCzIeLmF0cmVzdC5zeW5jLnYxLk91dGJveFBvc2l0aW9uUgx0YWtlblRocm91Z2gSJQoOY2xvY2tfZG91YnRmdWwY\
        CyABKAhSDWNsb2NrRG91YnRmdWxKBAgIEAkimwIKB1JlZnVzYWwSFAoFaW5kZXgYASABKA1SBWluZGV4EjYKBnJlYX\
        NvbhgCIAEoDjIeLmF0cmVzdC5zeW5jLnYxLlJlZnVzYWwuUmVhc29uUgZyZWFzb24SGAoHbWVzc2FnZRgDIAEoCVIH\
        bWVzc2FnZSKnAQoGUmVhc29uEhYKElJFQVNPTl9VTlNQRUNJRklFRBAAEhUKEVJFQVNPTl9DTE9DS19TS0VXEAESEg\
        oOUkVBU09OX0lOVkFMSUQQAhIUChBSRUFTT05fVE9PX0xBUkdFEAMSGAoUUkVBU09OX01BU1NfREVMRVRJT04QBRIS\
        Cg5SRUFTT05fREFNQUdFRBAGEhAKDFJFQVNPTl9RVU9UQRAHIgQIBBAEIj4KDFdhdGNoUmVxdWVzdBIuCgZjdXJzb3\
        IYASABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSBmN1cnNvciLCAQoKV2F0Y2hFdmVudBIsCgVhZnRlchgBIAEo\
        CzIWLmF0cmVzdC5zeW5jLnYxLkN1cnNvclIFYWZ0ZXISMAoHcmVjb3JkcxgCIAMoCzIWLmF0cmVzdC5zeW5jLnYxLl\
        JlY29yZFIHcmVjb3JkcxIuCgZjdXJzb3IYAyABKAsyFi5hdHJlc3Quc3luYy52MS5DdXJzb3JSBmN1cnNvchIkCg5z\
        ZXJ2ZXJfdGltZV9tcxgEIAEoA1IMc2VydmVyVGltZU1zIoEBChBSZWNvbmNpbGVSZXF1ZXN0Ei0KBnJhbmdlcxgBIA\
        MoCzIVLmF0cmVzdC5zeW5jLnYxLlJhbmdlUgZyYW5nZXMSPgoPbGFzdF9rbm93bl9oZWFkGAIgASgLMhYuYXRyZXN0\
        LnN5bmMudjEuQ3Vyc29yUg1sYXN0S25vd25IZWFkIu0BCgVSYW5nZRIQCgNlbmQYASABKAxSA2VuZBIuCgRtb2RlGA\
        IgASgOMhouYXRyZXN0LnN5bmMudjEuUmFuZ2UuTW9kZVIEbW9kZRIUCgVjb3VudBgDIAEoBFIFY291bnQSIAoLZmlu\
        Z2VycHJpbnQYBCABKAZSC2ZpbmdlcnByaW50EioKBWl0ZW1zGAUgAygLMhQuYXRyZXN0LnN5bmMudjEuSXRlbVIFaX\
        RlbXMiPgoETW9kZRIQCgxNT0RFX1NFVFRMRUQQABIUChBNT0RFX0ZJTkdFUlBSSU5UEAESDgoKTU9ERV9JVEVNUxAC\
        IjoKBEl0ZW0SEAoDa2V5GAEgASgMUgNrZXkSIAoLZmluZ2VycHJpbnQYAiABKAZSC2ZpbmdlcnByaW50ItABChFSZW\
        NvbmNpbGVSZXNwb25zZRItCgZyYW5nZXMYASADKAsyFS5hdHJlc3Quc3luYy52MS5SYW5nZVIGcmFuZ2VzEjAKB3Jl\
        Y29yZHMYAiADKAsyFi5hdHJlc3Quc3luYy52MS5SZWNvcmRSB3JlY29yZHMSFgoGd2FudGVkGAMgAygMUgZ3YW50ZW\
        QSJAoOc2VydmVyX3RpbWVfbXMYBCABKANSDHNlcnZlclRpbWVNcxIcCglyZXN0YXJ0ZWQYBSABKAhSCXJlc3RhcnRl\
        ZDLsAQoEU3luYxJNCghFeGNoYW5nZRIfLmF0cmVzdC5zeW5jLnYxLkV4Y2hhbmdlUmVxdWVzdBogLmF0cmVzdC5zeW\
        5jLnYxLkV4Y2hhbmdlUmVzcG9uc2USQwoFV2F0Y2gSHC5hdHJlc3Quc3luYy52MS5XYXRjaFJlcXVlc3QaGi5hdHJl\
        c3Quc3luYy52MS5XYXRjaEV2ZW50MAESUAoJUmVjb25jaWxlEiAuYXRyZXN0LnN5bmMudjEuUmVjb25jaWxlUmVxdW\
        VzdBohLmF0cmVzdC5zeW5jLnYxLlJlY29uY2lsZVJlc3BvbnNlYgZwcm90bzM=\

        """),
    ReflectedFile(
      name: "grpc/health/v1/health.proto",
      imports: [],
      services: ["grpc.health.v1.Health"],
      symbols: [
        "grpc.health.v1.HealthCheckRequest", "grpc.health.v1.HealthCheckRequest.service",
        "grpc.health.v1.HealthCheckResponse", "grpc.health.v1.HealthCheckResponse.status",
        "grpc.health.v1.HealthCheckResponse.ServingStatus",
        "grpc.health.v1.HealthCheckResponse.UNKNOWN", "grpc.health.v1.HealthCheckResponse.SERVING",
        "grpc.health.v1.HealthCheckResponse.NOT_SERVING",
        "grpc.health.v1.HealthCheckResponse.SERVICE_UNKNOWN", "grpc.health.v1.HealthListRequest",
        "grpc.health.v1.HealthListResponse", "grpc.health.v1.HealthListResponse.statuses",
        "grpc.health.v1.HealthListResponse.StatusesEntry",
        "grpc.health.v1.HealthListResponse.StatusesEntry.key",
        "grpc.health.v1.HealthListResponse.StatusesEntry.value", "grpc.health.v1.Health",
        "grpc.health.v1.Health.Check", "grpc.health.v1.Health.List", "grpc.health.v1.Health.Watch",
      ],
      base64: """
        ChtncnBjL2hlYWx0aC92MS9oZWFsdGgucHJvdG8SDmdycGMuaGVhbHRoLnYxIi4KEkhlYWx0aENoZWNrUmVxdWVzdB\
        IYCgdzZXJ2aWNlGAEgASgJUgdzZXJ2aWNlIrEBChNIZWFsdGhDaGVja1Jlc3BvbnNlEkkKBnN0YXR1cxgBIAEoDjIx\
        LmdycGMuaGVhbHRoLnYxLkhlYWx0aENoZWNrUmVzcG9uc2UuU2VydmluZ1N0YXR1c1IGc3RhdHVzIk8KDVNlcnZpbm\
        dTdGF0dXMSCwoHVU5LTk9XThAAEgsKB1NFUlZJTkcQARIPCgtOT1RfU0VSVklORxACEhMKD1NFUlZJQ0VfVU5LTk9X\
        ThADIhMKEUhlYWx0aExpc3RSZXF1ZXN0IsQBChJIZWFsdGhMaXN0UmVzcG9uc2USTAoIc3RhdHVzZXMYASADKAsyMC\
        5ncnBjLmhlYWx0aC52MS5IZWFsdGhMaXN0UmVzcG9uc2UuU3RhdHVzZXNFbnRyeVIIc3RhdHVzZXMaYAoNU3RhdHVz\
        ZXNFbnRyeRIQCgNrZXkYASABKAlSA2tleRI5CgV2YWx1ZRgCIAEoCzIjLmdycGMuaGVhbHRoLnYxLkhlYWx0aENoZW\
        NrUmVzcG9uc2VSBXZhbHVlOgI4ATL9AQoGSGVhbHRoElAKBUNoZWNrEiIuZ3JwYy5oZWFsdGgudjEuSGVhbHRoQ2hl\
        Y2tSZXF1ZXN0GiMuZ3JwYy5oZWFsdGgudjEuSGVhbHRoQ2hlY2tSZXNwb25zZRJNCgRMaXN0EiEuZ3JwYy5oZWFsdG\
        gudjEuSGVhbHRoTGlzdFJlcXVlc3QaIi5ncnBjLmhlYWx0aC52MS5IZWFsdGhMaXN0UmVzcG9uc2USUgoFV2F0Y2gS\
        Ii5ncnBjLmhlYWx0aC52MS5IZWFsdGhDaGVja1JlcXVlc3QaIy5ncnBjLmhlYWx0aC52MS5IZWFsdGhDaGVja1Jlc3\
        BvbnNlMAFiBnByb3RvMw==\

        """),
    ReflectedFile(
      name: "grpc/reflection/v1/reflection.proto",
      imports: [],
      services: ["grpc.reflection.v1.ServerReflection"],
      symbols: [
        "grpc.reflection.v1.ServerReflectionRequest",
        "grpc.reflection.v1.ServerReflectionRequest.host",
        "grpc.reflection.v1.ServerReflectionRequest.file_by_filename",
        "grpc.reflection.v1.ServerReflectionRequest.file_containing_symbol",
        "grpc.reflection.v1.ServerReflectionRequest.file_containing_extension",
        "grpc.reflection.v1.ServerReflectionRequest.all_extension_numbers_of_type",
        "grpc.reflection.v1.ServerReflectionRequest.list_services",
        "grpc.reflection.v1.ServerReflectionRequest.message_request",
        "grpc.reflection.v1.ExtensionRequest",
        "grpc.reflection.v1.ExtensionRequest.containing_type",
        "grpc.reflection.v1.ExtensionRequest.extension_number",
        "grpc.reflection.v1.ServerReflectionResponse",
        "grpc.reflection.v1.ServerReflectionResponse.valid_host",
        "grpc.reflection.v1.ServerReflectionResponse.original_request",
        "grpc.reflection.v1.ServerReflectionResponse.file_descriptor_response",
        "grpc.reflection.v1.ServerReflectionResponse.all_extension_numbers_response",
        "grpc.reflection.v1.ServerReflectionResponse.list_services_response",
        "grpc.reflection.v1.ServerReflectionResponse.error_response",
        "grpc.reflection.v1.ServerReflectionResponse.message_response",
        "grpc.reflection.v1.FileDescriptorResponse",
        "grpc.reflection.v1.FileDescriptorResponse.file_descriptor_proto",
        "grpc.reflection.v1.ExtensionNumberResponse",
        "grpc.reflection.v1.ExtensionNumberResponse.base_type_name",
        "grpc.reflection.v1.ExtensionNumberResponse.extension_number",
        "grpc.reflection.v1.ListServiceResponse", "grpc.reflection.v1.ListServiceResponse.service",
        "grpc.reflection.v1.ServiceResponse", "grpc.reflection.v1.ServiceResponse.name",
        "grpc.reflection.v1.ErrorResponse", "grpc.reflection.v1.ErrorResponse.error_code",
        "grpc.reflection.v1.ErrorResponse.error_message", "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1.ServerReflection.ServerReflectionInfo",
      ],
      base64: """
        CiNncnBjL3JlZmxlY3Rpb24vdjEvcmVmbGVjdGlvbi5wcm90bxISZ3JwYy5yZWZsZWN0aW9uLnYxIvMCChdTZXJ2ZX\
        JSZWZsZWN0aW9uUmVxdWVzdBISCgRob3N0GAEgASgJUgRob3N0EioKEGZpbGVfYnlfZmlsZW5hbWUYAyABKAlIAFIO\
        ZmlsZUJ5RmlsZW5hbWUSNgoWZmlsZV9jb250YWluaW5nX3N5bWJvbBgEIAEoCUgAUhRmaWxlQ29udGFpbmluZ1N5bW\
        JvbBJiChlmaWxlX2NvbnRhaW5pbmdfZXh0ZW5zaW9uGAUgASgLMiQuZ3JwYy5yZWZsZWN0aW9uLnYxLkV4dGVuc2lv\
        blJlcXVlc3RIAFIXZmlsZUNvbnRhaW5pbmdFeHRlbnNpb24SQgodYWxsX2V4dGVuc2lvbl9udW1iZXJzX29mX3R5cG\
        UYBiABKAlIAFIZYWxsRXh0ZW5zaW9uTnVtYmVyc09mVHlwZRIlCg1saXN0X3NlcnZpY2VzGAcgASgJSABSDGxpc3RT\
        ZXJ2aWNlc0IRCg9tZXNzYWdlX3JlcXVlc3QiZgoQRXh0ZW5zaW9uUmVxdWVzdBInCg9jb250YWluaW5nX3R5cGUYAS\
        ABKAlSDmNvbnRhaW5pbmdUeXBlEikKEGV4dGVuc2lvbl9udW1iZXIYAiABKAVSD2V4dGVuc2lvbk51bWJlciKuBAoY\
        U2VydmVyUmVmbGVjdGlvblJlc3BvbnNlEh0KCnZhbGlkX2hvc3QYASABKAlSCXZhbGlkSG9zdBJWChBvcmlnaW5hbF\
        9yZXF1ZXN0GAIgASgLMisuZ3JwYy5yZWZsZWN0aW9uLnYxLlNlcnZlclJlZmxlY3Rpb25SZXF1ZXN0Ug9vcmlnaW5h\
        bFJlcXVlc3QSZgoYZmlsZV9kZXNjcmlwdG9yX3Jlc3BvbnNlGAQgASgLMiouZ3JwYy5yZWZsZWN0aW9uLnYxLkZpbG\
        VEZXNjcmlwdG9yUmVzcG9uc2VIAFIWZmlsZURlc2NyaXB0b3JSZXNwb25zZRJyCh5hbGxfZXh0ZW5zaW9uX251bWJl\
        cnNfcmVzcG9uc2UYBSABKAsyKy5ncnBjLnJlZmxlY3Rpb24udjEuRXh0ZW5zaW9uTnVtYmVyUmVzcG9uc2VIAFIbYW\
        xsRXh0ZW5zaW9uTnVtYmVyc1Jlc3BvbnNlEl8KFmxpc3Rfc2VydmljZXNfcmVzcG9uc2UYBiABKAsyJy5ncnBjLnJl\
        ZmxlY3Rpb24udjEuTGlzdFNlcnZpY2VSZXNwb25zZUgAUhRsaXN0U2VydmljZXNSZXNwb25zZRJKCg5lcnJvcl9yZX\
        Nwb25zZRgHIAEoCzIhLmdycGMucmVmbGVjdGlvbi52MS5FcnJvclJlc3BvbnNlSABSDWVycm9yUmVzcG9uc2VCEgoQ\
        bWVzc2FnZV9yZXNwb25zZSJMChZGaWxlRGVzY3JpcHRvclJlc3BvbnNlEjIKFWZpbGVfZGVzY3JpcHRvcl9wcm90bx\
        gBIAMoDFITZmlsZURlc2NyaXB0b3JQcm90byJqChdFeHRlbnNpb25OdW1iZXJSZXNwb25zZRIkCg5iYXNlX3R5cGVf\
        bmFtZRgBIAEoCVIMYmFzZVR5cGVOYW1lEikKEGV4dGVuc2lvbl9udW1iZXIYAiADKAVSD2V4dGVuc2lvbk51bWJlci\
        JUChNMaXN0U2VydmljZVJlc3BvbnNlEj0KB3NlcnZpY2UYASADKAsyIy5ncnBjLnJlZmxlY3Rpb24udjEuU2Vydmlj\
        ZVJlc3BvbnNlUgdzZXJ2aWNlIiUKD1NlcnZpY2VSZXNwb25zZRISCgRuYW1lGAEgASgJUgRuYW1lIlMKDUVycm9yUm\
        VzcG9uc2USHQoKZXJyb3JfY29kZRgBIAEoBVIJZXJyb3JDb2RlEiMKDWVycm9yX21lc3NhZ2UYAiABKAlSDGVycm9y\
        TWVzc2FnZTKJAQoQU2VydmVyUmVmbGVjdGlvbhJ1ChRTZXJ2ZXJSZWZsZWN0aW9uSW5mbxIrLmdycGMucmVmbGVjdG\
        lvbi52MS5TZXJ2ZXJSZWZsZWN0aW9uUmVxdWVzdBosLmdycGMucmVmbGVjdGlvbi52MS5TZXJ2ZXJSZWZsZWN0aW9u\
        UmVzcG9uc2UoATABYgZwcm90bzM=\

        """),
    ReflectedFile(
      name: "grpc/reflection/v1alpha/reflection.proto",
      imports: [],
      services: ["grpc.reflection.v1alpha.ServerReflection"],
      symbols: [
        "grpc.reflection.v1alpha.ServerReflectionRequest",
        "grpc.reflection.v1alpha.ServerReflectionRequest.host",
        "grpc.reflection.v1alpha.ServerReflectionRequest.file_by_filename",
        "grpc.reflection.v1alpha.ServerReflectionRequest.file_containing_symbol",
        "grpc.reflection.v1alpha.ServerReflectionRequest.file_containing_extension",
        "grpc.reflection.v1alpha.ServerReflectionRequest.all_extension_numbers_of_type",
        "grpc.reflection.v1alpha.ServerReflectionRequest.list_services",
        "grpc.reflection.v1alpha.ServerReflectionRequest.message_request",
        "grpc.reflection.v1alpha.ExtensionRequest",
        "grpc.reflection.v1alpha.ExtensionRequest.containing_type",
        "grpc.reflection.v1alpha.ExtensionRequest.extension_number",
        "grpc.reflection.v1alpha.ServerReflectionResponse",
        "grpc.reflection.v1alpha.ServerReflectionResponse.valid_host",
        "grpc.reflection.v1alpha.ServerReflectionResponse.original_request",
        "grpc.reflection.v1alpha.ServerReflectionResponse.file_descriptor_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.all_extension_numbers_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.list_services_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.error_response",
        "grpc.reflection.v1alpha.ServerReflectionResponse.message_response",
        "grpc.reflection.v1alpha.FileDescriptorResponse",
        "grpc.reflection.v1alpha.FileDescriptorResponse.file_descriptor_proto",
        "grpc.reflection.v1alpha.ExtensionNumberResponse",
        "grpc.reflection.v1alpha.ExtensionNumberResponse.base_type_name",
        "grpc.reflection.v1alpha.ExtensionNumberResponse.extension_number",
        "grpc.reflection.v1alpha.ListServiceResponse",
        "grpc.reflection.v1alpha.ListServiceResponse.service",
        "grpc.reflection.v1alpha.ServiceResponse", "grpc.reflection.v1alpha.ServiceResponse.name",
        "grpc.reflection.v1alpha.ErrorResponse", "grpc.reflection.v1alpha.ErrorResponse.error_code",
        "grpc.reflection.v1alpha.ErrorResponse.error_message",
        "grpc.reflection.v1alpha.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo",
      ],
      base64: """
        CihncnBjL3JlZmxlY3Rpb24vdjFhbHBoYS9yZWZsZWN0aW9uLnByb3RvEhdncnBjLnJlZmxlY3Rpb24udjFhbHBoYS\
        L4AgoXU2VydmVyUmVmbGVjdGlvblJlcXVlc3QSEgoEaG9zdBgBIAEoCVIEaG9zdBIqChBmaWxlX2J5X2ZpbGVuYW1l\
        GAMgASgJSABSDmZpbGVCeUZpbGVuYW1lEjYKFmZpbGVfY29udGFpbmluZ19zeW1ib2wYBCABKAlIAFIUZmlsZUNvbn\
        RhaW5pbmdTeW1ib2wSZwoZZmlsZV9jb250YWluaW5nX2V4dGVuc2lvbhgFIAEoCzIpLmdycGMucmVmbGVjdGlvbi52\
        MWFscGhhLkV4dGVuc2lvblJlcXVlc3RIAFIXZmlsZUNvbnRhaW5pbmdFeHRlbnNpb24SQgodYWxsX2V4dGVuc2lvbl\
        9udW1iZXJzX29mX3R5cGUYBiABKAlIAFIZYWxsRXh0ZW5zaW9uTnVtYmVyc09mVHlwZRIlCg1saXN0X3NlcnZpY2Vz\
        GAcgASgJSABSDGxpc3RTZXJ2aWNlc0IRCg9tZXNzYWdlX3JlcXVlc3QiZgoQRXh0ZW5zaW9uUmVxdWVzdBInCg9jb2\
        50YWluaW5nX3R5cGUYASABKAlSDmNvbnRhaW5pbmdUeXBlEikKEGV4dGVuc2lvbl9udW1iZXIYAiABKAVSD2V4dGVu\
        c2lvbk51bWJlciLHBAoYU2VydmVyUmVmbGVjdGlvblJlc3BvbnNlEh0KCnZhbGlkX2hvc3QYASABKAlSCXZhbGlkSG\
        9zdBJbChBvcmlnaW5hbF9yZXF1ZXN0GAIgASgLMjAuZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaGEuU2VydmVyUmVmbGVj\
        dGlvblJlcXVlc3RSD29yaWdpbmFsUmVxdWVzdBJrChhmaWxlX2Rlc2NyaXB0b3JfcmVzcG9uc2UYBCABKAsyLy5ncn\
        BjLnJlZmxlY3Rpb24udjFhbHBoYS5GaWxlRGVzY3JpcHRvclJlc3BvbnNlSABSFmZpbGVEZXNjcmlwdG9yUmVzcG9u\
        c2USdwoeYWxsX2V4dGVuc2lvbl9udW1iZXJzX3Jlc3BvbnNlGAUgASgLMjAuZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaG\
        EuRXh0ZW5zaW9uTnVtYmVyUmVzcG9uc2VIAFIbYWxsRXh0ZW5zaW9uTnVtYmVyc1Jlc3BvbnNlEmQKFmxpc3Rfc2Vy\
        dmljZXNfcmVzcG9uc2UYBiABKAsyLC5ncnBjLnJlZmxlY3Rpb24udjFhbHBoYS5MaXN0U2VydmljZVJlc3BvbnNlSA\
        BSFGxpc3RTZXJ2aWNlc1Jlc3BvbnNlEk8KDmVycm9yX3Jlc3BvbnNlGAcgASgLMiYuZ3JwYy5yZWZsZWN0aW9uLnYx\
        YWxwaGEuRXJyb3JSZXNwb25zZUgAUg1lcnJvclJlc3BvbnNlQhIKEG1lc3NhZ2VfcmVzcG9uc2UiTAoWRmlsZURlc2\
        NyaXB0b3JSZXNwb25zZRIyChVmaWxlX2Rlc2NyaXB0b3JfcHJvdG8YASADKAxSE2ZpbGVEZXNjcmlwdG9yUHJvdG8i\
        agoXRXh0ZW5zaW9uTnVtYmVyUmVzcG9uc2USJAoOYmFzZV90eXBlX25hbWUYASABKAlSDGJhc2VUeXBlTmFtZRIpCh\
        BleHRlbnNpb25fbnVtYmVyGAIgAygFUg9leHRlbnNpb25OdW1iZXIiWQoTTGlzdFNlcnZpY2VSZXNwb25zZRJCCgdz\
        ZXJ2aWNlGAEgAygLMiguZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaGEuU2VydmljZVJlc3BvbnNlUgdzZXJ2aWNlIiUKD1\
        NlcnZpY2VSZXNwb25zZRISCgRuYW1lGAEgASgJUgRuYW1lIlMKDUVycm9yUmVzcG9uc2USHQoKZXJyb3JfY29kZRgB\
        IAEoBVIJZXJyb3JDb2RlEiMKDWVycm9yX21lc3NhZ2UYAiABKAlSDGVycm9yTWVzc2FnZTKTAQoQU2VydmVyUmVmbG\
        VjdGlvbhJ/ChRTZXJ2ZXJSZWZsZWN0aW9uSW5mbxIwLmdycGMucmVmbGVjdGlvbi52MWFscGhhLlNlcnZlclJlZmxl\
        Y3Rpb25SZXF1ZXN0GjEuZ3JwYy5yZWZsZWN0aW9uLnYxYWxwaGEuU2VydmVyUmVmbGVjdGlvblJlc3BvbnNlKAEwAW\
        IGcHJvdG8z\

        """),
  ]
}

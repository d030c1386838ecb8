export type FailureReason =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'broken'
  | 'bad_answer'
  | 'bad_url';

/** Why an outbound request got no response. The message is one sentence for an admin. */
export class OutboundFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
  ) {
    super(message);
  }
}

/** The endpoint closed a connection that was kept open, before it responded. The request can be repeated over a new one. */
export class ClosedWhileIdle extends OutboundFailure {
  constructor() {
    super('broken', CLOSED_EARLY);
  }
}

const CLOSED_EARLY = 'The endpoint closed the connection before its response was complete.';

/** Explains a TLS socket error after the endpoint was reached. */
export function socketFailure(error: NodeJS.ErrnoException): OutboundFailure {
  const code = error.code ?? '';
  const words = CERTIFICATE_FAULTS[code];
  if (words) return new OutboundFailure('tls', words);
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') {
    return new OutboundFailure('tls', 'TLS handshake with the endpoint failed.');
  }
  if (code.startsWith('HPE_')) return new OutboundFailure('bad_answer', "The endpoint's response is not valid HTTP.");
  return new OutboundFailure('broken', CLOSED_EARLY);
}

const UNTRUSTED = "The endpoint's certificate was issued by an authority that this server doesn't trust.";

const UNTRUSTED_OR_INCOMPLETE =
  "The endpoint's certificate was issued by an authority that this server doesn't trust, or its chain is incomplete.";

const CERTIFICATE_FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: "The endpoint's certificate has expired.",
  CERT_NOT_YET_VALID: "The endpoint's certificate is not valid yet.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The endpoint's certificate is for another host name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED_OR_INCOMPLETE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED_OR_INCOMPLETE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED_OR_INCOMPLETE,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_REVOKED: "The endpoint's certificate has been revoked.",
  INVALID_CA: UNTRUSTED,
  INVALID_PURPOSE: "The endpoint's certificate is not a server certificate.",
};

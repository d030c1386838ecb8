export type FailureReason =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'broken'
  | 'bad_answer'
  | 'bad_url';

/** Why an outbound request has no answer. The message is one plain sentence for an admin. */
export class OutboundFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
  ) {
    super(message);
  }
}

/** What an error of a TLS socket means, once the endpoint had been reached. */
export function socketFailure(error: NodeJS.ErrnoException): OutboundFailure {
  const code = error.code ?? '';
  const words = CERTIFICATE_FAULTS[code];
  if (words) return new OutboundFailure('tls', words);
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') {
    return new OutboundFailure('tls', 'No TLS connection could be agreed on with the endpoint.');
  }
  if (code.startsWith('HPE_'))
    return new OutboundFailure('bad_answer', 'The answer of the endpoint is not valid HTTP.');
  return new OutboundFailure('broken', 'The endpoint closed the connection before it had answered in full.');
}

const UNTRUSTED = 'The certificate of the endpoint is not from an authority that this server trusts.';

const CERTIFICATE_FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate of the endpoint has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the endpoint is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the endpoint is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_REVOKED: 'The certificate of the endpoint has been revoked.',
  INVALID_CA: UNTRUSTED,
  INVALID_PURPOSE: 'The certificate of the endpoint is not one for a server.',
};

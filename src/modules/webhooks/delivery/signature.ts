import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** In the format of Standard Webhooks, whose libraries accept it unchanged. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export type Signing = {
  deliveryId: string;
  sentAt: Date;
  secret: string;
  /** The previous secret during its grace period, else null. */
  previousSecret: string | null;
};

/**
 * Signs a body chunk by chunk. `X-Service-Signature` is the hex HMAC-SHA256 of the body, keyed with the secret as it was
 * returned. `webhook-signature` follows Standard Webhooks: over id, timestamp and body, keyed with the decoded bytes
 * after the prefix.
 */
export function createSigner({ deliveryId, sentAt, secret, previousSecret }: Signing) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  const documented = secrets.map((key) => createHmac('sha256', key));
  const standard = secrets.map((key) => createHmac('sha256', keyBytes(key)).update(`${deliveryId}.${timestamp}.`));
  return {
    update(piece: Uint8Array): void {
      for (const hmac of [...documented, ...standard]) hmac.update(piece);
    },
    headers(): Record<string, string> {
      const [signature = '', previous] = documented.map((hmac) => hmac.digest('hex'));
      return {
        'X-Service-Signature': signature,
        ...(previous !== undefined && { 'X-Service-Signature-Previous': previous }),
        'X-Service-Timestamp': timestamp,
        'webhook-id': deliveryId,
        'webhook-timestamp': timestamp,
        'webhook-signature': standard.map((hmac) => `v1,${hmac.digest('base64')}`).join(' '),
      };
    },
  };
}

function keyBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}

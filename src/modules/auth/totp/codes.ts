import { randomBytes } from 'node:crypto';
import { generateSecret, generateURI, verifySync } from 'otplib';
import type { Tx } from '@/server/database/db';
import { sha256 } from '@/server/secrets/crypto';
import { seal, unseal } from '@/server/secrets/sealing';

const STEP_SECONDS = 30;
const RECOVERY_CODES = 10;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

type Secret = { id: string; totpSecret: Uint8Array | null };

/** A new secret, sealed for its admin's row, and the URI for an authenticator app. */
export function newTotpSecret(admin: { id: string; email: string }) {
  const secret = generateSecret({ length: 20 });
  const uri = new URL(generateURI({ issuer: 'Postroom', label: admin.email, secret }));
  // The library omits defaults from the URI; the API contract includes all three.
  uri.searchParams.set('algorithm', 'SHA1');
  uri.searchParams.set('digits', '6');
  uri.searchParams.set('period', String(STEP_SECONDS));
  return { sealed: seal(placeOf(admin.id), secret), provisioningUri: uri.href, secret };
}

/** The 30-second step of a code, also accepting the previous and the next step; null for a wrong code. */
export function stepOfCode({ id, totpSecret }: Secret, code: string, now: Date): number | null {
  if (!totpSecret) return null;
  const result = verifySync({
    secret: unseal(placeOf(id), totpSecret),
    token: code,
    epoch: Math.floor(now.getTime() / 1000),
    epochTolerance: STEP_SECONDS,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}

/** Consumes a code. False if it is wrong, or if it or a later one was already used. */
export async function consumeTotpCode(tx: Tx, admin: Secret, code: string, now: Date): Promise<boolean> {
  const step = stepOfCode(admin, code, now);
  if (step === null) return false;
  const { count } = await tx.admin.updateMany({
    where: { id: admin.id, totpEnabled: true, OR: [{ totpLastStep: null }, { totpLastStep: { lt: step } }] },
    data: { totpLastStep: step },
  });
  return count === 1;
}

/** Consumes a recovery code, ignoring case and separators. */
export async function consumeRecoveryCode(tx: Tx, adminId: string, code: string): Promise<boolean> {
  const { count } = await tx.recoveryCode.deleteMany({ where: { adminId, codeHash: hashOf(code) } });
  return count === 1;
}

/** Ten codes such as `ABCD-EFGH-IJKL-MNOP`, 80 random bits each. Only their hashes are stored. */
export async function replaceRecoveryCodes(tx: Tx, adminId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await tx.recoveryCode.deleteMany({ where: { adminId } });
  await tx.recoveryCode.createMany({ data: codes.map((code) => ({ adminId, codeHash: hashOf(code) })) });
  return codes;
}

/** Removes the second factor with its recovery codes and pending sign-ins. */
export async function removeTotp(tx: Tx, adminId: string): Promise<void> {
  await tx.recoveryCode.deleteMany({ where: { adminId } });
  await tx.totpSession.deleteMany({ where: { adminId } });
  const data = { totpEnabled: false, totpSecret: null, totpLastStep: null };
  await tx.admin.update({ where: { id: adminId }, data, select: { id: true } });
}

function placeOf(adminId: string): string {
  return `admin.totp_secret:${adminId}`;
}

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(16), (byte) => BASE32[byte % 32]).join('');
  return letters.match(/.{4}/g)?.join('-') as string;
}

function hashOf(code: string): Uint8Array<ArrayBuffer> {
  return sha256(
    code
      .normalize('NFKC')
      .toUpperCase()
      .replace(/[^A-Z2-7]/g, ''),
  );
}

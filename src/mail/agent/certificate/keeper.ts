import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Finding } from '@/lib/health/finding';
import type { Acme, Installation } from '../installation';
import { failedAttempts, nextAttemptAt } from './attempts';
import { type Certificate, readCertificate } from './files';
import { coversAll, namesOf, obtainCertificate } from './obtain';

type Parts = {
  installation: Installation;
  reload: (service: 'postfix' | 'dovecot') => Promise<unknown>;
  now: () => Date;
  /** Called with what `keep` does. */
  onLine: OnLine;
  /** Ends an attempt that is under way. */
  signal: AbortSignal;
};

type OnLine = (line: string) => void;

export type CertificateKeeper = ReturnType<typeof createCertificateKeeper>;

/** Part of its life that a certificate has left when it is renewed: 30 of 90 days, 2 of 6. */
const RENEWED_WITH_LEFT = 1 / 3;

/**
 * Keeps the mail server's certificate valid, if ACME is set up, and makes Postfix and Dovecot serve the one that is in its
 * file, even if someone else replaced it.
 */
export function createCertificateKeeper({ installation, reload, now, onLine: onKept, signal }: Parts) {
  const { acme, data, host, tls } = installation;
  const failures = failedAttempts(data);
  let underWay: Promise<unknown> = Promise.resolve();
  /** Only one at a time. */
  const alone = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = underWay.then(work);
    underWay = result.catch(() => {});
    return result;
  };

  /** Null if there is none that belongs to the key. With ACME, a new one takes its place. */
  const present = () => (acme ? readCertificate(tls).catch(() => null) : readCertificate(tls));

  async function obtain(server: Acme, onLine: OnLine): Promise<void> {
    try {
      const { validTo } = await obtainCertificate(installation, server, { onLine, signal });
      await failures.clear();
      onLine(`Got a certificate that is valid until ${validTo.toISOString()}.`);
    } catch (error) {
      if (signal.aborted) throw error;
      const before = await failures.read();
      const message = error instanceof Error ? error.message : String(error);
      await failures.add({ count: (before?.count ?? 0) + 1, lastAt: now().toISOString(), message });
      throw error;
    }
  }

  async function serve(onLine: OnLine): Promise<void> {
    const { fingerprint } = await readCertificate(tls);
    const served = await servedFingerprints(installation);
    for (const service of ['postfix', 'dovecot'] as const) {
      if (served[service] === null || served[service] === fingerprint) continue;
      await reload(service);
      onLine(`Reloaded ${service}, which served an earlier certificate.`);
    }
  }

  return {
    /** Renews the certificate if it is due, and reloads what serves another one. Call it every minute. */
    keep: () =>
      alone(async () => {
        const failed = await failures.read();
        const mayTry = !failed || nextAttemptAt(failed) <= now();
        if (acme && mayTry && isDue(await present(), namesOf(host, acme), now())) await obtain(acme, onKept);
        await serve(onKept);
      }),

    /**
     * Gets a new certificate for an admin if it is due, even right after a failure.
     * @returns what it did, in a sentence
     */
    renew: (onLine: OnLine, { isDryRun = false } = {}) =>
      alone(async () => {
        const certificate = await present();
        const until = certificate ? certificate.validTo.toISOString().slice(0, 10) : null;
        const isRenewed = acme !== null && isDue(certificate, namesOf(host, acme), now());
        if (isDryRun) return isRenewed ? `Would ask ${acme.server} for a new certificate.` : nothingToDo(until, acme);
        if (isRenewed) await obtain(acme, onLine);
        await serve(onLine);
        if (!isRenewed) return nothingToDo(until, acme);
        return `The new certificate is valid until ${(await readCertificate(tls)).validTo.toISOString().slice(0, 10)}.`;
      }),

    /** Whether the last attempt failed. */
    async check(): Promise<Finding[]> {
      if (!acme) return [];
      const failed = await failures.read();
      const finding = { name: 'certificate_renewal', subject: host, value: null, latencyMs: null } as const;
      if (!failed) return [{ ...finding, status: 'ok', message: '' }];
      const certificate = await present();
      return [
        { ...finding, status: !certificate || certificate.isSelfSigned ? 'down' : 'degraded', message: failed.message },
      ];
    },
  };
}

function nothingToDo(until: string | null, acme: Acme | null): string {
  if (!acme) return `ACME is not set up. The certificate in its file is valid until ${until}.`;
  return `The certificate is valid until ${until}, and not due for renewal.`;
}

export function isDue(certificate: Certificate | null, names: string[], now: Date): boolean {
  if (!certificate) return true;
  const { validFrom, validTo, isSelfSigned } = certificate;
  const leftMs = validTo.getTime() - now.getTime();
  const isOld = leftMs <= (validTo.getTime() - validFrom.getTime()) * RENEWED_WITH_LEFT;
  return isSelfSigned || isOld || !coversAll(certificate, names);
}

const TIMEOUT_MS = 5_000;

/** SHA-256 of the certificates that the services show to clients now; null for one that doesn't answer. */
async function servedFingerprints(installation: Installation): Promise<Record<'postfix' | 'dovecot', string | null>> {
  const { ports } = installation;
  const [postfix, dovecot] = await Promise.all([
    fingerprintAt(installation, ports.submissions),
    fingerprintAt(installation, ports.imaps),
  ]);
  return { postfix, dovecot };
}

async function fingerprintAt({ probeAddress, host }: Installation, port: number): Promise<string | null> {
  const socket = connect({ host: probeAddress, port, servername: host, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return socket.getPeerCertificate().fingerprint256;
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}

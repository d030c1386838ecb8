import type { CertificateKeeper } from '../certificate/keeper';
import type { Operation, Outcome, Run } from './operation';

/** Renews the certificate if it is due, and makes Postfix and Dovecot serve the one in its file. */
export async function renewCertificates(
  { renewCertificate }: { renewCertificate: CertificateKeeper['renew'] },
  { dryRun }: Operation,
  { report }: Run,
): Promise<Outcome> {
  report('step', 'Checking the certificate');
  try {
    const message = await renewCertificate((line) => report('output', line), { isDryRun: dryRun });
    return { state: 'succeeded', message };
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

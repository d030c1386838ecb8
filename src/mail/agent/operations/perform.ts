import {
  MAIL_SERVICES,
  type RelaySettings,
  SERVICE_ACTIONS,
  type SET_RELAY,
  type ServiceOperation,
} from '@/lib/mail/operations';
import type { CertificateKeeper } from '../certificate/keeper';
import { hideSecrets } from '../configuration/show-diff';
import type { Installation } from '../installation';
import type { ServiceControl } from '../services/control';
import { applyConfig } from './apply-config';
import type { Operation, Outcome, Perform, Run } from './operation';
import { rebuildMaps } from './rebuild-maps';
import { recoverFiles, recoverServices } from './recover';
import { reloadServices, restartServices } from './service-operations';
import { setRelay } from './set-relay';

type Parts = {
  read: () => Installation;
  control: ServiceControl;
  /** The folder deploy/mail. */
  deploy: string;
  /** Secrets of the agent, which it never shows. */
  secrets: string[];
  rebuildKeys: () => Promise<number>;
  /** Decrypts the password of an operation. */
  unsealPassword: (sealed: string, relay: RelaySettings) => string;
  renewCertificate: CertificateKeeper['renew'];
};

type Action = (
  parts: Parts & { hide: (secrets: string[]) => void },
  operation: Operation,
  run: Run,
) => Promise<Outcome>;

const ACTIONS: Record<ServiceOperation | typeof SET_RELAY, Action> = {
  reload: reloadServices,
  restart: restartServices,
  apply_config: applyConfig,
  rebuild_maps: rebuildMaps,
  renew_certificates: renewCertificates,
  set_relay: setRelay,
};

/** Performs operations on services from a fixed list, and keeps secrets out of what they report. */
export function createPerform(parts: Parts): Perform {
  return async (operation, { report, signal }) => {
    const { redis, signIns } = parts.read();
    const secrets = new Set([...parts.secrets, redis.password, signIns.key]);
    const hide = (more: string[]) => {
      for (const secret of more) secrets.add(secret);
    };
    const run: Run = { signal, report: (kind, text) => report(kind, hideSecrets(text, secrets)) };
    requireKnown(operation);
    // If the files of an earlier operation could not be restored then.
    const { config } = parts.read();
    const journal = await recoverFiles(config);
    if (journal) await recoverServices(config, parts.control, journal, run.report);
    const outcome = await ACTIONS[operation.action as keyof typeof ACTIONS]({ ...parts, hide }, operation, run);
    return { ...outcome, message: hideSecrets(outcome.message, secrets) };
  };
}

/** Checks the operation again before anything runs, because it comes from the database. */
function requireKnown({ action, service }: Operation): void {
  if (!Object.hasOwn(ACTIONS, action)) throw new Error('Unknown action.');
  if (service === null) return;
  if (!MAIL_SERVICES.includes(service) || !SERVICE_ACTIONS.includes(action)) throw new Error('Unknown service.');
}

/** Renews the certificate if it is due, and makes Postfix and Dovecot serve the one in its file. */
async function renewCertificates(
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

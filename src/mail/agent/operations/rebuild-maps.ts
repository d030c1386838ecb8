import { join } from 'node:path';
import { formatPlural } from '@/lib/format';
import type { Installation } from '../installation';
import type { ServiceControl } from '../services/control';
import type { Operation, Outcome, Run } from './operation';
import { runOrThrow } from './run-command';
import { reloadServices } from './service-operations';

type Parts = {
  read: () => Installation;
  control: ServiceControl;
  /** Puts every DKIM key into Redis again, and removes the others. @returns how many there are */
  rebuildKeys: () => Promise<number>;
};

/** Below `DATA_DIR/mail`: domain, mailbox, id. */
const MAILBOX_DEPTH = 3;
/** Where Dovecot keeps compiled filters, as its templates in deploy/mail say. */
const COMPILED_FILTERS = '.filters';
const DELETE_TIMEOUT_MS = 5 * 60_000;

/**
 * Makes again what the mail server derives from Postroom's database: DKIM keys in Redis, compiled filters, and the
 * connections and results that Postfix's processes hold. Everything else is asked of Postgres for each message.
 */
export async function rebuildMaps(parts: Parts, operation: Operation, run: Run): Promise<Outcome> {
  const { report, signal } = run;
  const folder = join(parts.read().data, 'mail');
  if (operation.dryRun) {
    const message = 'Would store the DKIM keys again, delete compiled filters and reload Postfix. Nothing was changed.';
    return { state: 'succeeded', message };
  }
  report('step', 'Storing the DKIM keys in Redis again');
  const keys = formatPlural(await parts.rebuildKeys(), 'DKIM key');
  report('output', `${keys} stored`);
  if (signal.aborted) return { state: 'interrupted', message: `The mail agent was stopped after ${keys}.` };
  report('step', 'Deleting compiled filters');
  const deleted = await deleteCompiled(folder, parts.read().filters.uid).catch((error: Error) => error);
  if (deleted instanceof Error)
    return { state: 'failed', message: `Stored ${keys}. Compiled filters couldn’t be deleted: ${deleted.message}` };
  const filters = formatPlural(deleted, 'compiled filter');
  report('output', `${filters} deleted. Dovecot compiles them again with the next message.`);
  const reloaded = await reloadServices(parts, { ...operation, service: 'postfix' }, run);
  if (reloaded.state !== 'succeeded') return reloaded;
  return { state: 'succeeded', message: `Stored ${keys}, deleted ${filters} and reloaded Postfix.` };
}

/**
 * As the owner of the mailboxes, not as root: who can write there could put a link to another folder in the place of one.
 * @returns how many
 */
async function deleteCompiled(folder: string, uid: number): Promise<number> {
  let count = 0;
  const depth = String(MAILBOX_DEPTH + 2);
  const files = [folder, '-mindepth', depth, '-maxdepth', depth, '-path', `*/${COMPILED_FILTERS}/*`, '-type', 'f'];
  const as = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  await runOrThrow({
    // find needs a working folder that this user can enter.
    file: 'env',
    args: ['--chdir=/', 'setpriv', ...as, 'find', ...files, '-delete', '-printf', 'x\n'],
    withinMs: DELETE_TIMEOUT_MS,
    onLine: () => {
      count += 1;
    },
  });
  return count;
}

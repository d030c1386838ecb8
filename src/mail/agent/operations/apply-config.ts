import { chownSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { formatPlural } from '@/lib/format';
import { MAIL_SERVICES } from '@/lib/mail/operations';
import { replaceFile } from '../../../../deploy/mail/replace-file.mjs';
import { checkConfiguration } from '../configuration/check';
import { compareConfiguration, type Difference, ownerOf } from '../configuration/compare';
import { type GeneratedFile, generateConfiguration } from '../configuration/generate';
import { beginChange, endChange, type Journal, restoreFormer, type ServiceChange } from '../configuration/journal';
import { reportDiff, secretsIn } from '../configuration/show-diff';
import type { Installation } from '../installation';
import type { ServiceControl } from '../services/control';
import { type Operation, OperationFailure, type Outcome, type Report, type Run } from './operation';
import { changeServices, namesOf } from './service-operations';

type Parts = {
  read: () => Installation;
  control: ServiceControl;
  /** The folder deploy/mail. */
  deploy: string;
  /** Keeps these values out of the output. */
  hide: (secrets: string[]) => void;
};

type Change = Exclude<Difference, { kind: 'extra' }>;

/**
 * Brings the configuration to what the settings generate. It is refused if a checker refuses it, and taken back if a
 * service doesn't respond with it.
 */
export async function applyConfig(parts: Parts, { id, dryRun }: Operation, run: Run): Promise<Outcome> {
  const { report, signal } = run;
  const installation = parts.read();
  const { config, settings } = installation;
  try {
    report('step', `Generating the configuration from ${settings}`);
    const generated = await generateConfiguration(parts.deploy, settings, config);
    parts.hide(generated.secrets);
    const differences = await compareConfiguration(config, generated.files);
    parts.hide(secretsIn(differences));
    reportDiff(differences, report);
    const changes = differences.filter((difference): difference is Change => difference.kind !== 'extra');
    if (changes.length === 0) {
      return { state: 'succeeded', message: 'Every file is as the settings generate it. Nothing was changed.' };
    }
    requireMovable(changes);
    report('step', 'Checking the new configuration');
    const extras = differences.filter(({ kind }) => kind === 'extra').map(({ path }) => path);
    const wanted = { deploy: parts.deploy, database: generated.database, extras };
    await checkConfiguration(installation, wanted, report);
    const services = neededChanges(changes);
    if (dryRun) {
      const what = services.map(({ service, how }) => `${how} ${namesOf([service])}`).join(', ');
      const then = what ? ` and ${what}` : '';
      return {
        state: 'succeeded',
        message: `Would change ${formatPlural(changes.length, 'file')}${then}. Nothing was changed.`,
      };
    }
    if (signal.aborted) return { state: 'interrupted', message: 'The mail agent was stopped. Nothing was changed.' };
    return await change(parts, { operationId: id, services, files: changes.map(toJournal), settings }, changes, report);
  } catch (error) {
    if (!(error instanceof OperationFailure)) throw error;
    return { state: 'failed', message: `${error.message} Nothing was changed.` };
  }
}

async function change(parts: Parts, journal: Journal, changes: Change[], report: Report): Promise<Outcome> {
  const { config, settings } = parts.read();
  const count = formatPlural(changes.length, 'file');
  await beginChange(config, journal);
  report('step', `Replacing ${count}`);
  const problem = await replaceFiles(parts.control, config, journal, changes, report);
  if (problem !== null) {
    report('error', problem);
    return rollBack(parts, journal, problem, report);
  }
  await endChange(config, settings);
  await followLogrotate(changes).catch((error: Error) => report('error', `${LOGROTATE}: ${error.message}`));
  const has = (path: string) => changes.some((each) => each.path === path);
  const isAgentOutdated = has('environment');
  const agent = isAgentOutdated ? ' The mail agent restarts, to use the new settings.' : '';
  const app = has('dovecot/app-login') ? ' Set the new APP_PASSWORD in the app’s SMTP_URL, and restart the app.' : '';
  return { state: 'succeeded', message: `Changed ${count}.${agent}${app}`, isAgentOutdated };
}

/** @returns why the services can't run with the new files; null if they do */
async function replaceFiles(
  control: ServiceControl,
  config: string,
  journal: Journal,
  changes: Change[],
  report: Report,
): Promise<string | null> {
  try {
    for (const { file } of changes) await writeGenerated(config, file);
    const failed = await changeServices(control, journal.services, report);
    return failed.length === 0 ? null : `${namesOf(failed)} didn’t respond with the new configuration.`;
  } catch (error) {
    return `The new configuration couldn’t be put in place: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

async function rollBack({ control, read }: Parts, journal: Journal, reason: string, report: Report): Promise<Outcome> {
  const { config, settings } = read();
  report('step', 'Restoring the former files');
  await restoreFormer(config, journal);
  // A service that failed may be in any state, so it is restarted.
  const services = journal.services.map(({ service }) => ({ service, how: 'restart' as const }));
  const failed = await changeServices(control, services, report);
  await endChange(config, settings);
  if (failed.length === 0) {
    return {
      state: 'rolled_back',
      message: `${reason} The former configuration is in place again, and everything responds.`,
    };
  }
  return {
    state: 'failed',
    message: `${reason} The former files are in place again, but ${namesOf(failed)} still doesn’t respond. Look at its log in DATA_DIR/log.`,
  };
}

async function writeGenerated(config: string, { path, text, mode, gid }: GeneratedFile): Promise<void> {
  const target = join(config, path);
  await mkdir(dirname(target), { recursive: true });
  replaceFile(target, text, { mode, giveTo: (temporary) => chownSync(temporary, 0, gid) });
}

const FIXED = { DATA: 'DATA_DIR', MAIL_UID: 'MAIL_UID' };

/** @throws OperationFailure for settings that move the mailboxes or the queue, which stay where they are */
function requireMovable(changes: Change[]): void {
  const environment = changes.find(({ path }) => path === 'environment');
  if (environment?.kind !== 'changed') return;
  const [before, after] = [parseEnv(environment.before), parseEnv(environment.file.text)];
  for (const [name, setting] of Object.entries(FIXED)) {
    if (before[name] === after[name]) continue;
    throw new OperationFailure(
      `${setting} is ${before[name]} now. Changing it doesn’t move the mail that is there: stop the mail server, move it, and run deploy/mail/install.`,
    );
  }
}

/** Lines of configuration files that a service reads only at start. */
const NEEDS_RESTART: Record<string, RegExp> = {
  'redis.conf': /./,
  'postfix/main.cf':
    /^(inet_interfaces|inet_protocols|queue_directory|data_directory|maillog_file|import_environment)\b/,
  'dovecot/dovecot.conf': /^(base_dir|state_dir|listen|log_path) |^\s+port =/,
  'dovecot/custom.conf': /^(base_dir|state_dir|listen|log_path)\b|^\s+port\s*=/,
  'rspamd/local.d/options.inc': /^(pidfile|control_socket)/,
  'rspamd/local.d/worker-controller.inc': /./,
  'rspamd/local.d/worker-proxy.inc': /./,
};

function neededChanges(changes: Change[]): ServiceChange[] {
  return MAIL_SERVICES.flatMap((service) => {
    const own = changes.filter(({ path }) => ownerOf(path) === service);
    if (own.length === 0) return [];
    return { service, how: own.some(needsRestart) ? ('restart' as const) : ('reload' as const) };
  });
}

function needsRestart(change: Change): boolean {
  const lines = NEEDS_RESTART[change.path];
  if (!lines) return false;
  const pick = (text: string) =>
    text
      .split('\n')
      .filter((line) => lines.test(line))
      .join('\n');
  return pick(change.kind === 'missing' ? '' : change.before) !== pick(change.file.text);
}

const LOGROTATE = '/etc/logrotate.d/postroom-mail';

/** `install` copied the file there, if it is that of this mail server. */
async function followLogrotate(changes: Change[]): Promise<void> {
  const own = changes.find(({ path }) => path === 'logrotate.conf');
  if (own?.kind !== 'changed') return;
  const installed = await readFile(LOGROTATE, 'utf8').catch(() => null);
  if (installed !== own.before) return;
  await writeFile(LOGROTATE, own.file.text);
}

function toJournal({ path, kind }: Change): Journal['files'][number] {
  return { path, isCreated: kind === 'missing' };
}

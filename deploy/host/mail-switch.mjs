// Lets the mail server and its agent run as another version. The agent of that version applies its configuration, as the console's
// "Apply configuration" does: checked first, reloaded where that is enough, and taken back if a service doesn't respond with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { run, show } from './commands.mjs';
import { sql } from './database.mjs';
import { replaceFile } from './files.mjs';
import { readSettings, SETTINGS } from './settings.mjs';
import { MAIL_CONFIG, stampMailServer } from './steps.mjs';

const AGENT_WITHIN_MS = 60_000;
/** Rspamd takes up to 40 seconds to start, and other services follow. */
const APPLIED_WITHIN_MS = 600_000;
const POLL_MS = 500;
/** Another value would move mail that is there. */
const FIXED = ['DATA', 'MAIL_UID'];

/** @param {import('./steps.mjs').Host} host @throws PlainError */
export async function switchMailServer(host) {
  writeEnvironment(host);
  const since = ask('SELECT clock_timestamp();');
  show('deploy/mail/install', [SETTINGS, '--keep-running'], { root: host.root });
  await until(
    AGENT_WITHIN_MS,
    () => isAgentReporting(since),
    'The mail agent didn’t report: journalctl -u postroom-mail-agent',
  );
  await applyConfiguration();
  stampMailServer(host);
}

/** @param {string} since a time; an agent that started before doesn't count */
export function isAgentReporting(since = '-infinity') {
  return (
    ask(`SELECT EXISTS (SELECT FROM mail_agent WHERE host = ${mailHost()} AND started_at >= ${literal(since)}
          AND beat_at > now() - interval '20 seconds');`) === 't'
  );
}

/** Writes the file that an agent needs to start. The agent writes the others. */
function writeEnvironment({ root }) {
  const script = join(root, 'deploy/mail/configure.mjs');
  const { files } = JSON.parse(run(process.execPath, [script, SETTINGS, MAIL_CONFIG, '--print']));
  const { text, mode, gid } = files.find(({ path }) => path === 'environment');
  const target = join(MAIL_CONFIG, 'environment');
  const [before, after] = [parseEnv(readFileSync(target, 'utf8')), parseEnv(text)];
  if (FIXED.some((name) => before[name] !== after[name])) return;
  replaceFile(target, text, { mode, owner: `0:${gid}` });
}

async function applyConfiguration() {
  let id = '';
  const busy = 'Another operation on the mail server isn’t finished: see System → Services in the console.';
  await until(
    APPLIED_WITHIN_MS,
    () => {
      id =
        ask(`INSERT INTO operation (id, host, action, lane, dry_run, request_id, ip_address, created_at, leased_until)
        VALUES (gen_random_uuid(), ${mailHost()}, 'apply_config', 'services', false, gen_random_uuid(), '127.0.0.1', now(),
                now() + interval '30 seconds')
        ON CONFLICT (lane) WHERE finished_at IS NULL DO NOTHING RETURNING id;`);
      return id !== '';
    },
    busy,
  );
  ask('NOTIFY postroom_agent;');
  let state = '';
  let message = '';
  await until(
    APPLIED_WITHIN_MS,
    () => {
      [state = '', message = ''] = ask(
        `SELECT CASE WHEN finished_at IS NULL AND leased_until > now() THEN 'running' ELSE state::text END, message
           FROM operation WHERE id = ${literal(id)};`,
      ).split('|');
      return state !== 'running';
    },
    'The mail agent didn’t apply the configuration in time: see System → Services in the console.',
  );
  if (state !== 'succeeded')
    throw new PlainError(message || 'The mail agent stopped while it applied the configuration.');
  console.log(`  ${message}`);
}

async function until(withinMs, isDone, problem) {
  const deadline = Date.now() + withinMs;
  while (!isDone()) {
    if (Date.now() > deadline) throw new PlainError(problem);
    await sleep(POLL_MS);
  }
}

function ask(text) {
  return sql(readSettings().DATABASE_URL ?? '', text);
}

function mailHost() {
  return literal(readSettings().MAIL_HOST ?? '');
}

function literal(text) {
  return `'${text.replaceAll("'", "''")}'`;
}

// The checks before and after an upgrade.
import { existsSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { MIGRATIONS, readMigrations, runsWith } from '../../src/server/migrations/migrations.mjs';
import { isBuilt } from './build.mjs';
import { stoppedServices } from './check.mjs';
import { canSignIn, dumpVersionProblems, isDatabaseHere, remoteProblems, sql } from './database.mjs';
import { folderOf } from './host-state.mjs';
import { isAgentReporting } from './mail-switch.mjs';
import { isRelease, nameOf, versionIn } from './releases.mjs';
import { DISK_MB } from './requirements.mjs';
import { readSettings } from './settings.mjs';
import { askApp, isAppReady, isMailServerUp } from './steps.mjs';

const MB = 1_048_576;
const BACKUPS = '/var/backups';
const SPARE_MB = 500;
/** A service that ends after its start does so within this time. */
const SETTLE_MS = 5_000;

/**
 * @param {import('./steps.mjs').Host} host
 * @param {string | null} former the folder of the release that runs; that of the new one if the other is gone
 * @param {{ isRepeated: boolean, hasDump: boolean }} options `isRepeated`: an earlier run was interrupted, or couldn't go back, so not
 *   everything runs; `hasDump`: that run has made the copy of the database
 * @returns {Promise<string[]>} what keeps the upgrade from starting, each with what to do
 */
export async function upgradeProblems(host, former, { isRepeated, hasDump }) {
  const { DATABASE_URL: url = '' } = readSettings();
  if (!former) return ['Postroom isn’t installed on this host. Install it: sudo deploy/install mail.example.com'];
  if (!isRelease(former))
    return [
      `Postroom runs in ${former}, where its next version can’t be built beside it. Run deploy/install HOST_NAME once instead.`,
    ];
  if (former === host.root && !isRepeated)
    return [`This host runs ${nameOf(former)} already, which is the version in this folder.`];
  if (!canSignIn(url))
    return [
      `The database doesn’t answer at DATABASE_URL in /etc/postroom/settings${isDatabaseHere(url) ? ': systemctl status postgresql' : '. Start it there, or correct the setting.'}`,
    ];
  const ofDatabase = await migrationProblems(host.source, existsSync(former) ? former : host.source, url);
  const ofDump = hasDump || !isDatabaseHere(url) ? [] : [...dumpProblems(host, url), ...dumpVersionProblems(url)];
  if (isRepeated) return [...ofDatabase, ...ofDump];
  const ofRole = isDatabaseHere(url) ? [] : remoteProblems(readSettings());
  const problems = [...stoppedServices(), ...ofDatabase, ...ofRole];
  if (!(await isAppReady())) problems.push('The app doesn’t answer: journalctl -u postroom');
  if (!isMailServerUp(host))
    problems.push('The mail server doesn’t answer: deploy/mail/stack health /etc/postroom-mail');
  if (problems.length === 0 && !isAgentReporting())
    problems.push('The mail agent doesn’t report: journalctl -u postroom-mail-agent');
  return [...problems, ...ofDump];
}

/** Checks that a release runs, with all services. @throws PlainError */
export async function verify({ source, root }, { isAgentNew = true } = {}) {
  await sleep(SETTLE_MS);
  const problems = stoppedServices();
  const runsElsewhere = (isAgentNew ? ['postroom', 'postroom-mail-agent'] : ['postroom']).filter(
    (unit) => folderOf(unit) !== root,
  );
  for (const unit of runsElsewhere) problems.push(`${unit} doesn’t run in ${root}`);
  const version = await askApp('/api/v1/version').then((response) => response?.json());
  if (version?.data?.version !== versionIn(root)) problems.push('The app doesn’t answer with its version');
  if (!(await isAppReady()) || !(await askApp('/login'))?.ok) problems.push('The app doesn’t answer');
  if (!isMailServerUp({ source })) problems.push('The mail server doesn’t answer');
  if (!isAgentReporting()) problems.push('The mail agent doesn’t report');
  if (problems.length > 0) throw new PlainError(problems.join('\n'));
}

/** The version that runs must be able to go on with the tables of the new one, and the new one with those that are there. */
async function migrationProblems(source, former, url) {
  const rows = JSON.parse(
    sql(
      url,
      `SELECT coalesce(json_agg(json_build_object('name', migration_name, 'checksum', checksum, 'logs', logs,
              'isFinished', finished_at IS NOT NULL) ORDER BY migration_name), '[]')
         FROM _prisma_migrations WHERE rolled_back_at IS NULL;`,
    ),
  );
  const unfinished = rows.filter(({ isFinished }) => !isFinished).map(({ name }) => name);
  if (unfinished.length > 0) return [`Migrations of the database failed earlier: ${unfinished.join(', ')}.`];
  const own = await readMigrations(join(source, MIGRATIONS));
  const old = await readMigrations(join(former, MIGRATIONS));
  const names = (migrations) => new Set(migrations.map(({ name }) => name));
  const refused = rows.filter((row) => !names(own).has(row.name) && !runsWith(row, own));
  if (refused.length > 0)
    return [
      `The database is of a newer version, which this one can’t run with: ${refused.map(({ name }) => name).join(', ')}.`,
    ];
  const breaking = own.filter((migration) => !names(old).has(migration.name) && !runsWith(migration, old));
  if (breaking.length === 0) return [];
  return [
    `${nameOf(former)} can’t run beside this version, because of ${breaking.map(({ name }) => name).join(', ')}. Upgrade to a version between them first: CHANGELOG.md says which.`,
  ];
}

function dumpProblems({ source, root }, url) {
  mkdirSync(BACKUPS, { recursive: true });
  const { bavail, bsize } = statfsSync(BACKUPS);
  return spaceProblems({
    freeMb: (bavail * bsize) / MB,
    databaseMb: Number(sql(url, 'SELECT pg_database_size(current_database());')) / MB,
    isBuildThere: !isBuilt(root) && statSync(BACKUPS).dev === statSync(source).dev,
  });
}

/**
 * Services fail on a full disk, so the copy of the database leaves room for the build and for what is written meanwhile.
 * @param {{ freeMb: number, databaseMb: number, isBuildThere: boolean }} facts `isBuildThere`: the build will be on the disk of the copy
 */
export function spaceProblems({ freeMb, databaseMb, isBuildThere }) {
  const neededMb = databaseMb + (isBuildThere ? DISK_MB : SPARE_MB);
  if (freeMb >= neededMb) return [];
  const what = `a copy of the database of up to ${Math.ceil(databaseMb)} MB${isBuildThere ? ' and the build' : ''}`;
  return [
    `The upgrade needs ${Math.ceil(neededMb)} MB on the disk of ${BACKUPS}, for ${what}, and ${Math.floor(freeMb)} MB are free.`,
  ];
}

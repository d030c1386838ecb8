// `deploy/install --upgrade`: replaces the version that runs by that of this folder. Until the new one is built and the database is ready
// for both, the old one runs undisturbed. What fails afterwards brings the old one back, on the database as it is: nothing that was sent
// or received meanwhile is lost.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPlain, PlainError } from '../../scripts/process/plain-error.mjs';
import { secondsSince } from '../../scripts/steps/step.mjs';
import { buildApp } from './build.mjs';
import { printReport } from './check.mjs';
import { show } from './commands.mjs';
import { isDatabaseHere } from './database.mjs';
import { DUMPS, describeDump, writeDump } from './dumps.mjs';
import { adviceAfter } from './host-state.mjs';
import { switchMailServer } from './mail-switch.mjs';
import { holdRequests, setUpProxy } from './proxy.mjs';
import { nameOf, removeOtherReleases, runningFolder, versionIn } from './releases.mjs';
import { changeSettings, readSettings, SETTINGS } from './settings.mjs';
import { isPackageInstalled, packagesFor, settingsToChange, startApp } from './steps.mjs';
import { deferSignals } from './stop-request.mjs';
import { upgradeProblems, verify } from './upgrade-checks.mjs';
import { addChanges, changesBack, endUpgradeState, readUpgradeState, writeUpgradeState } from './upgrade-state.mjs';

/**
 * @typedef {import('./steps.mjs').Host} Host
 * @typedef {{
 *   to: Host, from: Host, state: import('./upgrade-state.mjs').UpgradeState, letThrough?: () => Promise<void>,
 * }} Upgrade `from`: the release that runs, and runs again if this fails; `letThrough`: ends what holds requests back
 * @typedef {{
 *   name: string, plan: string, run: (upgrade: Upgrade) => unknown, undo?: (upgrade: Upgrade) => unknown,
 * }} Part `plan` says what `run` would do. Without `undo`, what it did doesn't disturb the old version
 */

/** Parts are undone in the same order, because the old version needs its settings first. @type {Part[]} */
const PARTS = [
  {
    name: 'Debian packages',
    plan: 'install the packages that this version needs and that are missing',
    run: ({ to }) => {
      const missing = packagesFor(to).filter((name) => !isPackageInstalled(name));
      if (missing.length > 0)
        show('deploy/mail/install-packages', missing, { root: to.source, env: { LC_ALL: 'C.UTF-8' } });
    },
  },
  { name: 'Build', plan: 'build this version in a folder of its own', run: ({ to }) => buildApp(to) },
  { name: 'Copy of the database', plan: `write a copy of the database to ${DUMPS}`, run: copyDatabase },
  {
    name: 'Settings',
    plan: `add settings that are missing in ${SETTINGS}`,
    run: (upgrade) => {
      const { to, from, state } = upgrade;
      if (to.root === from.root) restoreSettings(upgrade);
      const changes = settingsToChange(to);
      record(upgrade, { settings: addChanges(readSettings(), changes, state.settings) });
      changeSettings(changes);
    },
    undo: restoreSettings,
  },
  {
    name: 'Database',
    plan: 'migrate the database, which the old version can go on with',
    run: async ({ to }) => {
      const { migrate } = await import(pathToFileURL(join(to.root, 'scripts/postgres/database.mjs')).href);
      await migrate(to.root, readSettings().DATABASE_URL);
    },
  },
  {
    name: 'App',
    plan: 'restart the app as the new version',
    run: (upgrade) => restartApp(upgrade, upgrade.to),
    undo: (upgrade) => restartApp(upgrade, upgrade.from),
  },
  {
    name: 'Reverse proxy',
    plan: 'reload Caddy',
    run: ({ to }) => reloadProxy(to),
    undo: ({ from }) => reloadProxy(from),
  },
  {
    name: 'Mail server and agent',
    plan: 'restart the mail agent, and reload what its configuration changes',
    run: ({ to }) => switchMailServer(to),
    undo: ({ from }) => switchMailServer(from),
  },
  { name: 'Check', plan: 'check that everything runs', run: ({ to }) => verify(to) },
];

/** @param {Host} host @returns {Promise<number>} the exit code */
export async function upgrade(host) {
  const startedAt = Date.now();
  const signalSoFar = deferSignals();
  const interrupted = readUpgradeState();
  const running = interrupted?.from ?? runningFolder();
  const former = running && !existsSync(running) ? host.root : running;
  const problems = await upgradeProblems(host, former, {
    isRepeated: interrupted !== null || former !== running,
    hasDump: hasDump(interrupted),
  });
  if (host.options.mode === 'dry-run') return plan(former, problems);
  if (!former || problems.length > 0) throw new PlainError(`${problems.join('\n')}\nNothing was changed.`);
  const from = { ...host, source: former, root: former };
  const names = { old: nameOf(from.root), new: nameOf(host.root) };
  const work = from.root === host.root ? `Setting up ${names.new}` : `Upgrading from ${names.old} to ${names.new}`;
  console.log(`${work}. The log is ${process.env.POSTROOM_LOG ?? 'this output'}.`);
  /** @type {Upgrade} */
  const done = { to: host, from, state: interrupted ?? { from: from.root } };
  await run(done, names, { before: interrupted ? PARTS : [], signalSoFar });
  removeOtherReleases(dirname(host.root), [host.root, from.root]);
  console.log(`\n${work.replace('Setting', 'Set').replace('Upgrading', 'Upgraded')} in ${secondsSince(startedAt)}.`);
  console.log(describeDump(done.state));
  if (from.root !== host.root) console.log(`To go back: sudo ${from.root}/deploy/install --upgrade`);
  await printReport();
  return 0;
}

function plan(former, problems) {
  for (const problem of problems) console.log(`Fix first: ${problem}`);
  if (former) console.log(`This host runs ${nameOf(former)} in ${former}.`);
  for (const part of PARTS) console.log(`${part.name}: would ${part.plan}.`);
  return problems.length > 0 ? 1 : 0;
}

/**
 * @param {Upgrade} upgrade
 * @param {{ old: string, new: string }} names
 * @param {{ before: readonly Part[], signalSoFar: ReturnType<typeof deferSignals> }} options `before`: parts that an interrupted run may
 *   have begun; `signalSoFar`: tells whether somebody wants it to stop
 */
async function run(upgrade, names, { before, signalSoFar }) {
  record(upgrade, {});
  const begun = new Set(before);
  for (const part of PARTS) {
    console.log(`\n${part.name}`);
    const startedAt = Date.now();
    try {
      const signal = await signalSoFar();
      if (signal) throw new PlainError(`It was stopped by ${signal}.`);
      begun.add(part);
      await part.run(upgrade);
      console.log(`  ${secondsSince(startedAt)}`);
    } catch (error) {
      console.log(`  failed after ${secondsSince(startedAt)}: ${describe(error)}`);
      await goBack(
        upgrade,
        PARTS.filter((each) => begun.has(each)),
      );
      endUpgradeState();
      throw new PlainError(
        `The upgrade to ${names.new} failed at "${part.name}": ${firstLine(describe(error))}\n\nThis host runs ${names.old} as before. Nothing that was ` +
          `sent or received meanwhile is lost.\nThe log: ${process.env.POSTROOM_LOG ?? 'above'}\n${describeDump(upgrade.state)}`,
      );
    }
  }
  endUpgradeState();
}

/** @param {Upgrade} upgrade @param {Part[]} begun @throws PlainError if the old version doesn't run again */
async function goBack(upgrade, begun) {
  const { from, to } = upgrade;
  const hasFormer = from.root !== to.root && existsSync(from.root);
  const problems =
    hasFormer || from.root === to.root ? [] : [`The folder of ${nameOf(from.root)} is gone: ${from.root}`];
  for (const { name, undo } of hasFormer ? begun : []) {
    if (!undo) continue;
    console.log(`\n${name}: going back`);
    try {
      await undo(upgrade);
    } catch (error) {
      console.log(`  failed: ${describe(error)}`);
      problems.push(`${name}: ${firstLine(describe(error))}`);
    }
  }
  await letThrough(upgrade);
  if (hasFormer)
    await verify(from, { isAgentNew: begun.some(({ name }) => name === 'Mail server and agent') }).catch((error) =>
      problems.push(describe(error)),
    );
  if (hasFormer && problems.length === 0) return;
  throw new PlainError(await adviceAfter({ from, to, hasFormer, problems, dump: describeDump(upgrade.state) }));
}

/** @param {Upgrade} upgrade @param {Partial<import('./upgrade-state.mjs').UpgradeState>} change */
function record(upgrade, change) {
  upgrade.state = { ...upgrade.state, ...change };
  writeUpgradeState(upgrade.state);
}

/** @param {Upgrade} upgrade */
function restoreSettings({ state }) {
  const changes = changesBack(readSettings(), state.settings);
  if (Object.keys(changes).length > 0) changeSettings(changes);
}

/** Requests wait until one of the versions answers. @param {Upgrade} upgrade @param {Host} host */
async function restartApp(upgrade, host) {
  upgrade.letThrough ??= await holdRequests(upgrade.to);
  await startApp(host);
  await letThrough(upgrade);
}

/** @param {Upgrade} upgrade */
async function letThrough(upgrade) {
  await upgrade.letThrough?.();
  upgrade.letThrough = undefined;
}

function reloadProxy({ source }) {
  const settings = readSettings();
  if (settings.REVERSE_PROXY !== 'none') setUpProxy({ root: source, settings });
}

/** @param {Upgrade} upgrade */
function copyDatabase(upgrade) {
  const url = readSettings().DATABASE_URL ?? '';
  if (!isDatabaseHere(url)) {
    console.log('  The database is on another host, so no copy was made.');
    return;
  }
  if (hasDump(upgrade.state)) {
    console.log('  The interrupted run has made it.');
    return;
  }
  record(upgrade, { dump: writeDump(url, versionIn(upgrade.from.root)) });
}

/** @param {import('./upgrade-state.mjs').UpgradeState | null} state */
function hasDump(state) {
  return existsSync(state?.dump ?? '');
}

/** The log has the rest. */
function firstLine(text) {
  return text.split('\n')[0];
}

/** A full disk, or a file that is gone, is no mistake of the program. */
function describe(error) {
  if (!isPlain(error) && !error.syscall) console.error(error);
  return error.message;
}

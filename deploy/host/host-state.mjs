// Reports what runs on the host and what doesn't, for the end of an upgrade that couldn't go back.
import { existsSync, readlinkSync, statfsSync } from 'node:fs';
import { stoppedServices } from './check.mjs';
import { canSignIn, isDatabaseHere } from './database.mjs';
import { nameOf } from './releases.mjs';
import { readSettings } from './settings.mjs';
import { isAppReady, isPostfixUp, propertyOf } from './steps.mjs';

const MB = 1_048_576;
const LITTLE_MB = 200;
const DISKS = ['/', '/etc', '/var/lib', '/var/backups'];
/**
 * Says what state a host is in after an upgrade that couldn't go back, and what to do.
 * @param {{
 *   from: import('./releases.mjs').Release, to: import('./releases.mjs').Release, hasFormer: boolean, problems: string[], dump: string,
 * }} facts `hasFormer`: there is a version to go back to; `dump`: which copy of the database there is
 */
export async function adviceAfter({ from, to, hasFormer, problems, dump }) {
  const { facts, remedies } = await describeHost(to.source);
  const steps = [
    ...remedies,
    ...(hasFormer ? [`Go back to ${nameOf(from.root)}: sudo ${from.root}/deploy/install --upgrade`] : []),
    `${hasFormer ? 'Or go' : 'Go'} on with ${nameOf(to.root)}: sudo ${to.source}/deploy/install --upgrade`,
  ];
  const list = (lines) => lines.map((line) => `  ${line}`).join('\n');
  return [
    problems.length > 0
      ? `The upgrade failed, and so did the way back to ${nameOf(from.root)}:\n${problems.join('\n')}`
      : 'There is no other version to go back to.',
    `The state of this host:\n${list(facts)}`,
    `What to do:\n${list(steps.map((step, index) => `${index + 1}. ${step}`))}`,
    `The log: ${process.env.POSTROOM_LOG ?? 'above'}\n${dump}`,
  ].join('\n\n');
}

/**
 * @param {string} source a folder of Postroom that is there
 * @returns {Promise<{ facts: string[], remedies: string[] }>} `remedies`: what to do first, with commands
 */
async function describeHost(source) {
  const { DATABASE_URL: url = '' } = readSettings();
  const hasDatabase = canSignIn(url);
  const acceptsMail = isPostfixUp(source);
  const full = fullDisks();
  return {
    facts: [
      hasDatabase ? 'The database answers.' : 'The database doesn’t answer at DATABASE_URL in /etc/postroom/settings.',
      (await isAppReady())
        ? `The app answers, as ${versionOf('postroom')}.`
        : 'The app doesn’t answer: there is no console and no API.',
      describeMail(acceptsMail, hasDatabase),
      ...stoppedServices(),
      ...full.map((folder) => `The disk of ${folder} is full.`),
    ],
    remedies: [
      ...full.map((folder) => `Free space on the disk of ${folder}: du -xh --max-depth=2 ${folder} | sort -h | tail`),
      ...(hasDatabase ? [] : [databaseRemedy(url)]),
      ...(acceptsMail ? [] : ['Let mail in: sudo systemctl restart postroom-mail.target']),
    ],
  };
}

function describeMail(acceptsMail, hasDatabase) {
  const kept = 'Other servers keep what they couldn’t send, usually for five days.';
  if (!acceptsMail) return `Postfix doesn’t answer. ${kept}`;
  return hasDatabase
    ? 'Postfix accepts mail.'
    : `Postfix tells senders to try again, until the database answers. ${kept}`;
}

function databaseRemedy(url) {
  return isDatabaseHere(url)
    ? 'Start the database: sudo systemctl restart postgresql, with its log in /var/log/postgresql'
    : 'Start the database on its host, or let this host reach it.';
}

/** @returns {string} the folder that a service runs in; empty if it doesn't run */
export function folderOf(unit) {
  const pid = propertyOf(unit, 'MainPID');
  return pid !== '0' && existsSync(`/proc/${pid}/cwd`) ? readlinkSync(`/proc/${pid}/cwd`) : '';
}

/** The folder of a process can be deleted, which Linux adds to its name. */
function versionOf(unit) {
  const folder = folderOf(unit);
  return existsSync(folder) ? nameOf(folder) : `a version whose folder is gone (${folder})`;
}

function fullDisks() {
  const seen = new Set();
  return DISKS.filter((folder) => {
    if (!existsSync(folder)) return false;
    const { bavail, bsize, blocks, files, ffree } = statfsSync(folder);
    const id = `${blocks} ${files} ${bavail}`;
    if (seen.has(id)) return false;
    seen.add(id);
    return (bavail * bsize) / MB < LITTLE_MB || (files > 0 && ffree === 0);
  });
}

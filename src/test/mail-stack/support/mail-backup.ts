import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { MailBackupPlan } from '@/mail/agent/backup/plan';
import { readInstallation } from '@/mail/agent/installation';
import { publishPlan } from '@/modules/mail-backups/plan';
import type { MailBackups } from '@/modules/mail-backups/schema';
import type { OperationDetails } from '@/modules/services/schema';
import { keyClient } from '../../rest';
import { PASSWORD } from './directory';
import { signInToImap } from './imap-session';
import { openLmtp } from './lmtp-session';
import { db, mailServer } from './mail-server';
import { finished } from './operations';

const RESTORE = fileURLToPath(new URL('../../../../deploy/mail/restore', import.meta.url));
const CONFIGURE = fileURLToPath(new URL('../../../../deploy/mail/configure.mjs', import.meta.url));

export const KEY = 'AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ';
export const REPOSITORY = `${mailServer.data}/backups/mail`;

const api = await keyClient();

export const PLAN: MailBackupPlan = {
  password: KEY,
  target: null,
  credentials: { accessKeyId: '', secretAccessKey: '' },
  schedule: null,
  keep: { daily: 7, weekly: 4, monthly: 6 },
};

/** Publishes a plan for backups, as the app does when its settings say so. */
export function plan(over: Partial<MailBackupPlan> = {}): Promise<void> {
  return publishPlan(db, { ...PLAN, ...over });
}

export const listBackups = async (): Promise<MailBackups> => (await api.get('/backups/mail')).data;

export async function latestSnapshot(): Promise<string> {
  const [latest] = (await listBackups()).snapshots;
  if (!latest) throw new Error('There is no snapshot.');
  return latest.id;
}

async function run(path: string, body: object = {}): Promise<OperationDetails> {
  const { status, data } = await api.post(path, body);
  if (status !== 202) throw new Error(`${path} was answered with ${status}.`);
  return finished(data.id);
}

export const backUp = () => run('/backups/mail');
export const checkBackups = () => run('/backups/mail/check');
export const startBackup = () => api.post('/backups/mail', {});
export const startRestore = (snapshot: string, mailbox: string, mode: 'beside' | 'in_place') =>
  api.post(`/backups/mail/${snapshot}/restore`, { mailbox, mode });
export const restoreMailbox = (snapshot: string, mailbox: string, mode: 'beside' | 'in_place') =>
  run(`/backups/mail/${snapshot}/restore`, { mailbox, mode });

/** The command of restic, with nothing of Postroom but the key. */
export function restic(repository: string, keyFile: string, ...args: string[]): string {
  return execFileSync('restic', ['--repo', repository, '--password-file', keyFile, ...args], { encoding: 'utf8' });
}

/** Runs deploy/mail/restore, as an admin does on a new host. */
export function restoreServer(keyFile: string, repository: string, ...more: string[]) {
  const { status, stdout, stderr } = spawnSync(RESTORE, [keyFile, repository, ...more], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

export function configure(settings: string): void {
  execFileSync(process.execPath, [CONFIGURE, settings, mailServer.config]);
}

/** Returns the paths below a folder that Dovecot can't change with only the rights of the mail's owner; symlinks are not followed. */
export function unusableIn(folder: string): string[] {
  const { uid } = readInstallation(mailServer.config).filters;
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  // Dovecot makes this one without the right to write.
  const ordinary = paths.filter((path) => !/\/dovecot-uidvalidity\.[0-9a-f]{8}$/.test(path));
  return [folder, ...ordinary].filter((path) => {
    const found = lstatSync(path);
    const needed = found.isDirectory() ? 0o700 : 0o600;
    return found.uid !== uid || found.gid !== uid || (found.mode & needed) !== needed;
  });
}

/** A new message arrives in the inbox, and its reader sees it. */
export async function expectUsable(address: string): Promise<void> {
  const imap = await signInToImap(address, PASSWORD);
  const count = (await imap.messages()).length;
  const deliver = await openLmtp();
  const body = `Message ${randomUUID()}.`;
  await deliver(address, body);
  const messages = await imap.messages();
  expect(messages).toHaveLength(count + 1);
  expect(messages.at(-1)).toContain(body);
}

type MailboxContent = Record<string, { flags: string; text: string }[]>;

/** Every message of a mailbox with its flags, by folder, as IMAP shows it. */
export async function contentOf(address: string): Promise<MailboxContent> {
  const imap = await signInToImap(address, PASSWORD);
  const listed = await imap.command('LIST "" "*"');
  const folders = [...listed.matchAll(/^\* LIST \(([^)]*)\) "\/" "?([^"\r\n]+?)"?\r$/gm)];
  const content: MailboxContent = {};
  for (const [, , name = ''] of folders) {
    const texts = await imap.messages(name);
    if (texts.length === 0) continue;
    const flags = await imap.command('FETCH 1:* FLAGS');
    const each = [...flags.matchAll(/^\* \d+ FETCH \(FLAGS \(([^)]*)\)\)\r$/gm)].map(([, list = '']) =>
      list
        .split(' ')
        .filter((flag) => flag !== '\\Recent')
        .toSorted()
        .join(' '),
    );
    content[name] = texts.map((text, index) => ({ flags: each[index] ?? '', text }));
  }
  return content;
}

/** Messages with attachments, flags and keywords, in several folders. */
export async function fill(address: string): Promise<void> {
  const imap = await signInToImap(address, PASSWORD);
  for (const name of ['Work', 'Work/Rechnungen & mehr', 'Archive.2026']) {
    expect(await imap.command(`CREATE "${name.replace('&', '&-')}"`)).toMatch(/ OK /);
  }
  const attachment = Buffer.from('%PDF-1.7\0'.repeat(5_000)).toString('base64').replace(/.{76}/g, '$&\r\n');
  const messages = [
    ['INBOX', '\\Seen', 'Subject: Plain\r\n\r\nGood morning.\r\n'],
    ['INBOX', '\\Flagged $Important', 'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\n8 bit: \xe4\r\n'],
    [
      'Work/Rechnungen &- mehr',
      '\\Answered \\Seen',
      `Subject: Attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${attachment}\r\n`,
    ],
    ['Archive.2026', '', 'Subject: Old\r\n\r\n\r\n'],
  ];
  for (const [name = '', flags, text = ''] of messages)
    expect(await imap.command(`APPEND "${name}" (${flags}) {${text.length}+}\r\n${text}`)).toMatch(/ OK /);
}

import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/directory';
import { DELIVERY_TIMEOUT_MS, type FilteredMailbox, makeFilteredMailbox } from '../support/filtered-mailbox';
import { signInToImap } from '../support/imap-session';
import { db, mailServer } from '../support/mail-server';

let ann: FilteredMailbox;

beforeEach(async () => {
  ann = await makeFilteredMailbox();
});

describe('the storage usage of a mailbox', () => {
  const usedBytes = async () =>
    Number((await db.mailbox.findUniqueOrThrow({ where: { id: ann.mailbox.id } })).usedBytes);
  const waitForUsage = (matches: (bytes: number) => boolean) =>
    expect.poll(async () => matches(await usedBytes()), { timeout: DELIVERY_TIMEOUT_MS }).toBe(true);
  const usedInDovecot = () => {
    const text = execFileSync('doveadm', [
      '-c',
      `${mailServer.config}/dovecot/dovecot.conf`,
      '-f',
      'json',
      'quota',
      'get',
      '-u',
      ann.address,
    ]);
    const roots = JSON.parse(text.toString()) as { type: string; value: string }[];
    return Number(roots.find(({ type }) => type === 'STORAGE')?.value);
  };

  it('follows deliveries, moves and deletions', async () => {
    await ann.foldersAfterSending();
    await waitForUsage((bytes) => bytes > 0);
    const one = await usedBytes();
    expect(Math.ceil(one / 1024)).toBe(usedInDovecot());
    await ann.foldersAfterSending();
    await waitForUsage((bytes) => bytes > one);
    const two = await usedBytes();

    const imap = await signInToImap(ann.address, PASSWORD);
    await imap.command('SELECT INBOX');
    await imap.command('MOVE 1 Junk');
    await imap.command('STORE 1 +FLAGS.SILENT (\\Deleted)');
    await imap.command('EXPUNGE');
    await imap.command('LOGOUT');
    await waitForUsage((bytes) => bytes > 0 && bytes < two);

    const again = await signInToImap(ann.address, PASSWORD);
    await again.command('SELECT Junk');
    await again.command('STORE 1 +FLAGS.SILENT (\\Deleted)');
    await again.command('EXPUNGE');
    await again.command('LOGOUT');
    await waitForUsage((bytes) => bytes === 0);
  });
});

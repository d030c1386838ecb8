import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeDomain, makeMailbox, PASSWORD } from './support/directory';
import { signInToImap } from './support/imap-session';
import { bytesOfLmtp, openLmtp } from './support/lmtp-session';
import { mailServer } from './support/mail-server';

const STORED = 4_000;
const DELIVERIES = 20;
// The index has about 16 bytes per message. Maildir's list of messages, which each delivery reads, has about 100.
const MAX_BYTES_PER_STORED_MESSAGE = 40;
// Enough for the log to pass its limit of 64 KB, which is checked after a delivery.
const BURST = 700;
const MAX_LOG_BYTES = 72 * 1024;

let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
});

describe('delivery to a mailbox', () => {
  it(`costs at most ${MAX_BYTES_PER_STORED_MESSAGE} bytes of reading and writing for each message that is there`, async () => {
    await makeMailbox(domain.id, 'empty');
    await makeMailbox(domain.id, 'full');
    await append(at('full'), STORED);
    const deliver = await openLmtp();
    const bytesPerDelivery = async (to: string) => {
      // The first delivery creates files, or reads them after the append.
      await deliver(to, 'First.');
      const bytes = await bytesOfLmtp(async () => {
        for (let count = 0; count < DELIVERIES; count++) await deliver(to, 'Good morning.');
      });
      return bytes / DELIVERIES;
    };
    const empty = await bytesPerDelivery(at('empty'));
    const full = await bytesPerDelivery(at('full'));
    console.log(`${Math.round(empty)} bytes per delivery when empty, ${Math.round(full)} with ${STORED} messages`);
    expect(empty).toBeGreaterThan(0);
    expect((full - empty) / STORED).toBeLessThanOrEqual(MAX_BYTES_PER_STORED_MESSAGE);
  });

  it('keeps the log that each delivery reads short', async () => {
    const { id } = await makeMailbox(domain.id, 'ann');
    const deliver = await openLmtp();
    for (let count = 0; count < BURST; count++) await deliver(at('ann'), 'Good morning.');
    expect(statSync(join(folderOf('ann', id), 'dovecot.index.log')).size).toBeLessThanOrEqual(MAX_LOG_BYTES);
  });
});

it('has folders whose names contain a dot, and deletes the files of a deleted folder', async () => {
  const { id } = await makeMailbox(domain.id, 'ann');
  const imap = await signInToImap(at('ann'), PASSWORD);
  expect(await imap.command('CREATE "Work/Release 1.2"')).toMatch(/ OK /);
  await append(at('ann'), 1, '"Work/Release 1.2"');
  expect(await imap.command('RENAME Work Archive')).toMatch(/ OK /);
  expect(await imap.messages('Archive/Release 1.2')).toHaveLength(1);
  await imap.command('UNSELECT');
  expect(await imap.command('DELETE "Archive/Release 1.2"')).toMatch(/ OK /);
  expect(await imap.command('LIST "" "*"')).not.toContain('Release 1.2');
  expect(existsSync(folderOf('ann', id, 'Archive/Release 1.2'))).toBe(false);
});

it('keeps its messages when its index is lost, after force-resync', async () => {
  const { id } = await makeMailbox(domain.id, 'ann');
  const deliver = await openLmtp();
  await deliver(at('ann'), 'First.');
  await deliver(at('ann'), 'Second.');
  const inbox = folderOf('ann', id);
  const index = readdirSync(inbox).filter((name) => name.startsWith('dovecot.index'));
  expect(index).toContain('dovecot.index.log');
  for (const name of index) rmSync(join(inbox, name));
  const config = join(mailServer.config, 'dovecot/dovecot.conf');
  execFileSync('doveadm', ['-c', config, 'force-resync', '-u', at('ann'), '*'], { stdio: 'ignore' });
  const messages = await (await signInToImap(at('ann'), PASSWORD)).messages();
  expect(messages.map((text) => text.split('\r\n\r\n')[1]?.trim()).toSorted()).toEqual(['First.', 'Second.']);
});

/** Stores messages with a single command, like an import. */
async function append(address: string, count: number, folder = 'INBOX'): Promise<void> {
  const imap = await signInToImap(address, PASSWORD);
  const text = 'Subject: Stored\r\n\r\nGood morning.\r\n';
  const literal = ` {${text.length}+}\r\n${text}`;
  expect(await imap.command(`APPEND ${folder}${literal.repeat(count)}`)).toMatch(/ OK /);
}

function folderOf(localPart: string, id: string, folder = 'INBOX'): string {
  return join(mailServer.data, 'mail', domain.name, localPart, id, 'mail/mailboxes', folder, 'dbox-Mails');
}

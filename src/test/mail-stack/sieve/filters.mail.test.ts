import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLES } from '@/modules/sieve-filters/components/script/examples';
import { PASSWORD } from '../support/directory';
import { type FilteredMailbox, files, makeFilteredMailbox } from '../support/filtered-mailbox';
import { signInToImap } from '../support/imap-session';
import { db, mailServer } from '../support/mail-server';
import { uploadScript } from '../support/manage-sieve';

/** Rspamd marks a message with two such fields as spam, and accepts it. */
const TWO_REPLY_TO = 'Reply-To: a@elsewhere.example\nReply-To: b@elsewhere.example\n';

let ann: FilteredMailbox;

beforeEach(async () => {
  ann = await makeFilteredMailbox();
});
// Global filters would affect other tests.
afterEach(() => db.sieveFilter.deleteMany());

describe('filters', () => {
  it('run globally first, then for the domain, then for the mailbox, each by position, until one files the message', async () => {
    const [first, second] = [
      await ann.makeFilter('global', files('a', 'First')),
      await ann.makeFilter('global', files('a', 'Second'), { position: 1 }),
    ];
    const ofDomain = await ann.makeFilter('domain', files('a', 'Domain'));
    await ann.makeFilter('mailbox', files('a', 'Mailbox'), { position: 0 });
    const expected = ['First', 'Second', 'Domain', 'Mailbox', 'INBOX'];
    for (const folder of expected) {
      expect(await ann.foldersAfterSending('a')).toEqual([folder]);
      const filter = { First: first, Second: second, Domain: ofDomain }[folder];
      if (filter) await db.sieveFilter.update({ where: { id: filter.id }, data: { active: false } });
      else await db.sieveFilter.deleteMany({ where: { mailboxId: ann.mailbox.id } });
    }
  });

  it('create folders that mail programs show', async () => {
    await ann.makeFilter('mailbox', files('a', 'Invoices'));
    expect(await ann.foldersAfterSending('a')).toEqual(['Invoices']);
    const imap = await signInToImap(ann.address, PASSWORD);
    expect(await imap.command('LSUB "" "*"')).toContain(' Invoices\r\n');
  });

  it('run in a changed order for the next message', async () => {
    const first = await ann.makeFilter('global', files('a', 'First'), { position: 1 });
    await ann.makeFilter('global', files('a', 'Second'), { position: 2 });
    expect(await ann.foldersAfterSending('a')).toEqual(['First']);
    await db.sieveFilter.update({ where: { id: first.id }, data: { position: 3 } });
    expect(await ann.foldersAfterSending('a')).toEqual(['Second']);
  });

  it('run a changed script for the next message', async () => {
    const { id } = await ann.makeFilter('mailbox', files('a', 'Before'));
    expect(await ann.foldersAfterSending('a')).toEqual(['Before']);
    await db.sieveFilter.update({ where: { id }, data: { script: files('a', 'After') } });
    expect(await ann.foldersAfterSending('a')).toEqual(['After']);
    await db.sieveFilter.update({ where: { id }, data: { script: files('a', 'Before') } });
    expect(await ann.foldersAfterSending('a')).toEqual(['Before']);
  });

  it('with stop don’t end other filters', async () => {
    await ann.makeFilter('global', 'stop;\n');
    await ann.makeFilter('global', 'keep;\n', { position: 1 });
    await ann.makeFilter('domain', files('a', 'Domain'));
    expect(await ann.foldersAfterSending('a')).toEqual(['Domain']);
  });

  it('don’t affect other domains', async () => {
    await ann.makeFilter('domain', files('a', 'Domain'));
    await ann.makeFilter('mailbox', files('a', 'Mailbox'));
    ann = await makeFilteredMailbox();
    expect(await ann.foldersAfterSending('a')).toEqual(['INBOX']);
  });

  it('run before the script of the mailbox’s owner', async () => {
    await ann.makeFilter('global', files('a', 'Global'));
    await uploadScript(
      ann.address,
      PASSWORD,
      `${files('a', 'Own')}${files('b', 'Own')}`.replace(/\nrequire .*\n/, '\n'),
    );
    expect(await ann.foldersAfterSending('a')).toEqual(['Global']);
    expect(await ann.foldersAfterSending('b')).toEqual(['Own']);
  });

  it('keep the message if one is broken, and the log has the line', async () => {
    const { id } = await ann.makeFilter('global', 'keep;\nif header "subject" {');
    await ann.makeFilter('mailbox', files('a', 'Mailbox'));
    expect(await ann.foldersAfterSending('a')).toEqual(['INBOX']);
    const log = readFileSync(join(mailServer.data, 'log/dovecot/dovecot.log'), 'utf8');
    expect(log).toMatch(new RegExp(`Error: sieve: ${id}: line 2: expected `));
  });

  it('file marked spam with the console’s example', async () => {
    await ann.makeFilter('global', String(EXAMPLES[0]?.script));
    expect(await ann.foldersAfterSending('', undefined, TWO_REPLY_TO)).toEqual(['Junk']);
    expect(await ann.foldersAfterSending()).toEqual(['INBOX']);
  });

  it('all run if every scope has the maximum of active filters', async () => {
    for (const scope of ['global', 'domain', 'mailbox'] as const) {
      for (let position = 1; position <= 20; position++) {
        await ann.makeFilter(scope, files(`${scope}${position}.`, `${scope}${position}`), { position });
      }
    }
    expect(await ann.foldersAfterSending('mailbox20.')).toEqual(['mailbox20']);
    expect(await ann.foldersAfterSending('global1.')).toEqual(['global1']);
    expect(await ann.foldersAfterSending('none')).toEqual(['INBOX']);
  });
});

describe('a script of the mailbox’s owner', () => {
  it('can’t exceed the quota of 512 KB for all scripts', async () => {
    const put = (name: string) => uploadScript(ann.address, PASSWORD, `#${'x'.repeat(600_000)}\n`, name);
    await put('first');
    await expect(put('second')).rejects.toThrow('NO (QUOTA');
  });
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askAgent } from '@/modules/mail-server/service';
import { EXAMPLES } from '@/modules/sieve-filters/components/examples';
import { makeDomain, makeMailbox, newName, PASSWORD } from './support/directory';
import { activateKey, signaturesOf } from './support/dkim-keys';
import { signInToImap } from './support/imap-session';
import { db, mailServer, startRemoteServer } from './support/mail-server';
import { uploadScript } from './support/manage-sieve';
import { messageText, openInbound } from './support/smtp-session';

const DELIVERY_TIMEOUT_MS = 20_000;
/** Rspamd marks a message with two such fields as spam, and accepts it. */
const TWO_REPLY_TO = 'Reply-To: a@elsewhere.example\nReply-To: b@elsewhere.example\n';

const remoteServer = await startRemoteServer();
let domain: { id: string; name: string };
let mailbox: { id: string };
const address = () => `ann@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
  mailbox = await makeMailbox(domain.id, 'ann');
});
// Global filters would affect other tests.
afterEach(() => db.sieveFilter.deleteMany());

type Scope = 'global' | 'domain' | 'mailbox';

function makeFilter(scope: Scope, script: string, over: { position?: number; active?: boolean } = {}) {
  const owner = { global: {}, domain: { domainId: domain.id }, mailbox: { mailboxId: mailbox.id } }[scope];
  return db.sieveFilter.create({ data: { scope, ...owner, name: newName(), script, ...over } });
}

/** A script that files messages whose subject ends with the word. */
const files = (word: string, folder: string) =>
  `require ["fileinto", "mailbox"];\nif header :matches "subject" "* ${word}" { fileinto :create "${folder}"; }\n`;

async function send(word: string, from: string, header: string) {
  const subject = `${newName()} ${word}`.trim();
  const session = await openInbound();
  expect(await session.send(from, [address()], `${header}${messageText({ from, to: address(), subject })}`)).toMatch(
    /^250 /,
  );
  return subject;
}

/** Sends a message with this word. @returns all folders in which it was stored */
async function foldersAfterSending(word = '', from = 'someone@elsewhere.example', header = ''): Promise<string[]> {
  const subject = await send(word, from, header);
  const imap = await signInToImap(address(), PASSWORD);
  return vi.waitFor(
    async () => {
      const found: string[] = [];
      for (const folder of foldersIn(await imap.command('LIST "" "*"'))) {
        const messages = await imap.messages(folder);
        found.push(...messages.filter((text) => text.includes(`Subject: ${subject}\r\n`)).map(() => folder));
      }
      if (found.length === 0) throw new Error(`"${subject}" isn't in the mailbox.`);
      return found;
    },
    { timeout: DELIVERY_TIMEOUT_MS, interval: 50 },
  );
}

const foldersIn = (listed: string) =>
  [...listed.matchAll(/^\* LIST .* "?([^"\r\n]+?)"?\r\n/gm)].map(([, name]) => String(name));

describe('filters', () => {
  it('run globally first, then for the domain, then for the mailbox, each by position, until one files the message', async () => {
    const [first, second] = [
      await makeFilter('global', files('a', 'First')),
      await makeFilter('global', files('a', 'Second'), { position: 1 }),
    ];
    const ofDomain = await makeFilter('domain', files('a', 'Domain'));
    await makeFilter('mailbox', files('a', 'Mailbox'), { position: 0 });
    const expected = ['First', 'Second', 'Domain', 'Mailbox', 'INBOX'];
    for (const folder of expected) {
      expect(await foldersAfterSending('a')).toEqual([folder]);
      const filter = { First: first, Second: second, Domain: ofDomain }[folder];
      if (filter) await db.sieveFilter.update({ where: { id: filter.id }, data: { active: false } });
      else await db.sieveFilter.deleteMany({ where: { mailboxId: mailbox.id } });
    }
  });

  it('run in a changed order for the next message', async () => {
    const first = await makeFilter('global', files('a', 'First'), { position: 1 });
    await makeFilter('global', files('a', 'Second'), { position: 2 });
    expect(await foldersAfterSending('a')).toEqual(['First']);
    await db.sieveFilter.update({ where: { id: first.id }, data: { position: 3 } });
    expect(await foldersAfterSending('a')).toEqual(['Second']);
  });

  it('run a changed script for the next message', async () => {
    const { id } = await makeFilter('mailbox', files('a', 'Before'));
    expect(await foldersAfterSending('a')).toEqual(['Before']);
    await db.sieveFilter.update({ where: { id }, data: { script: files('a', 'After') } });
    expect(await foldersAfterSending('a')).toEqual(['After']);
    await db.sieveFilter.update({ where: { id }, data: { script: files('a', 'Before') } });
    expect(await foldersAfterSending('a')).toEqual(['Before']);
  });

  it('with stop don’t end other filters', async () => {
    await makeFilter('global', 'stop;\n');
    await makeFilter('global', 'keep;\n', { position: 1 });
    await makeFilter('domain', files('a', 'Domain'));
    expect(await foldersAfterSending('a')).toEqual(['Domain']);
  });

  it('don’t affect other domains', async () => {
    await makeFilter('domain', files('a', 'Domain'));
    await makeFilter('mailbox', files('a', 'Mailbox'));
    domain = await makeDomain();
    await makeMailbox(domain.id, 'ann');
    expect(await foldersAfterSending('a')).toEqual(['INBOX']);
  });

  it('run before the script of the mailbox’s owner', async () => {
    await makeFilter('global', files('a', 'Global'));
    await uploadScript(address(), PASSWORD, `${files('a', 'Own')}${files('b', 'Own')}`.replace(/\nrequire .*\n/, '\n'));
    expect(await foldersAfterSending('a')).toEqual(['Global']);
    expect(await foldersAfterSending('b')).toEqual(['Own']);
  });

  it('keep the message if one is broken, and the log has the line', async () => {
    const { id } = await makeFilter('global', 'keep;\nif header "subject" {');
    await makeFilter('mailbox', files('a', 'Mailbox'));
    expect(await foldersAfterSending('a')).toEqual(['INBOX']);
    const log = readFileSync(join(mailServer.data, 'log/dovecot/dovecot.log'), 'utf8');
    expect(log).toMatch(new RegExp(`Error: sieve: ${id}: line 2: expected `));
  });

  it('file marked spam with the console’s example', async () => {
    await makeFilter('global', String(EXAMPLES[0]?.script));
    expect(await foldersAfterSending('', undefined, TWO_REPLY_TO)).toEqual(['Junk']);
    expect(await foldersAfterSending()).toEqual(['INBOX']);
  });

  it('all run if every scope has the maximum of active filters', async () => {
    for (const scope of ['global', 'domain', 'mailbox'] as const) {
      for (let position = 1; position <= 20; position++) {
        await makeFilter(scope, files(`${scope}${position}.`, `${scope}${position}`), { position });
      }
    }
    expect(await foldersAfterSending('mailbox20.')).toEqual(['mailbox20']);
    expect(await foldersAfterSending('global1.')).toEqual(['global1']);
    expect(await foldersAfterSending('none')).toEqual(['INBOX']);
  });
});

describe('mail that a filter sends', () => {
  const copiesTo = (to: string) => remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(to));
  const onlyCopyTo = async (to: string) => {
    await expect.poll(() => copiesTo(to).length, { timeout: DELIVERY_TIMEOUT_MS }).toBe(1);
    return copiesTo(to)[0] as (typeof remoteServer.received)[number];
  };
  const elsewhere = () => `${newName()}@far.example`;

  it('forwarded, is unchanged and not signed by us, even if From is a managed domain', async () => {
    await activateKey(domain.name, 'one');
    const to = elsewhere();
    await makeFilter('mailbox', `require "copy";\nredirect :copy "${to}";\n`);
    expect(await foldersAfterSending('', `ceo@${domain.name}`)).toEqual(['INBOX']);
    const { raw, mailFrom } = await onlyCopyTo(to);
    expect(mailFrom).toBe(`ceo@${domain.name}`);
    expect(raw.toString()).not.toMatch(/^DKIM-Signature:/im);
  });

  it('as auto-reply is signed by the mailbox’s domain', async () => {
    await activateKey(domain.name, 'one');
    await makeFilter('mailbox', 'require "vacation";\nvacation :subject "Away" "Later.";\n');
    const from = elsewhere();
    expect(await foldersAfterSending('', from)).toEqual(['INBOX']);
    const { raw } = await onlyCopyTo(from);
    expect(raw.toString()).toMatch(/^Auto-Submitted: auto-replied/m);
    expect(await signaturesOf(raw)).toEqual([`pass rsa-sha256 by one.${domain.name}`]);
  });

  it('as auto-reply isn’t sent while the mailbox is suspended, and the message is kept', async () => {
    await activateKey(domain.name, 'one');
    await makeFilter('mailbox', 'require "vacation";\nvacation "Later.";\n');
    await db.mailbox.update({ where: { id: mailbox.id }, data: { suspendedAt: new Date() } });
    const [suspended, unsuspended] = [elsewhere(), elsewhere()];
    expect(await foldersAfterSending('', suspended)).toEqual(['INBOX']);
    await db.mailbox.update({ where: { id: mailbox.id }, data: { suspendedAt: null } });
    expect(await foldersAfterSending('', unsuspended)).toEqual(['INBOX']);
    await onlyCopyTo(unsuspended);
    expect(copiesTo(suspended)).toEqual([]);
  });

  it('as rejection has the reason, and the message isn’t kept', async () => {
    await activateKey(domain.name, 'one');
    await makeFilter('mailbox', 'require "reject";\nreject "Not wanted here.";\n');
    const from = elsewhere();
    await send('', from, '');
    expect((await onlyCopyTo(from)).raw.toString()).toContain('Not wanted here.');
    expect(await (await signInToImap(address(), PASSWORD)).messages()).toEqual([]);
  });

  it('with another From, or for a domain without a key, isn’t sent, and the message is kept', async () => {
    const other = await makeDomain();
    await activateKey(other.name, 'other');
    const answer = await makeFilter('mailbox', `require "vacation";\nvacation :from "ceo@${other.name}" "Later.";\n`);
    const from = elsewhere();
    expect(await foldersAfterSending('', from)).toEqual(['INBOX']);
    await db.sieveFilter.update({
      where: { id: answer.id },
      data: { script: 'require "vacation";\nvacation "Later.";\n' },
    });
    expect(await foldersAfterSending('', from)).toEqual(['INBOX']);
    await activateKey(domain.name, 'late');
    await db.sieveFilter.update({
      where: { id: answer.id },
      data: { script: 'require "vacation";\nvacation "Now.";\n' },
    });
    await foldersAfterSending('', from);
    expect((await onlyCopyTo(from)).raw.toString()).toContain('Now.');
  });

  it('as auto-reply can’t have another From by posing as forwarded mail', async () => {
    const other = await makeDomain();
    await activateKey(other.name, 'other');
    await activateKey(domain.name, 'one');
    const reply = (from: string) =>
      `require "vacation";\nvacation :mime text:\nX-Sieve-Redirected-From: x\n${from}Content-Type: text/plain\n\nPay.\n.\n;\n`;
    const answer = await makeFilter('mailbox', reply(`From: ceo@${other.name}\n`));
    const from = elsewhere();
    expect(await foldersAfterSending('', from)).toEqual(['INBOX']);
    await db.sieveFilter.update({ where: { id: answer.id }, data: { script: reply('') } });
    await foldersAfterSending('', from);
    expect(await signaturesOf((await onlyCopyTo(from)).raw)).toEqual([`pass rsa-sha256 by one.${domain.name}`]);
  });

  it('can’t be a notification: owners’ scripts can’t use enotify', async () => {
    const script = 'require "enotify";\nnotify :from "ceo@elsewhere.example" "mailto:someone@elsewhere.example";\n';
    await expect(uploadScript(address(), PASSWORD, script)).rejects.toThrow('"NO ');
  });
});

describe('a script of the mailbox’s owner', () => {
  it('can’t exceed the quota of 512 KB for all scripts', async () => {
    const put = (name: string) => uploadScript(address(), PASSWORD, `#${'x'.repeat(600_000)}\n`, name);
    await put('first');
    await expect(put('second')).rejects.toThrow('NO (QUOTA');
  });
});

describe('checking a script', () => {
  it('accepts every example of the console', async () => {
    for (const { script } of EXAMPLES) expect(await check(script)).toEqual([]);
  });

  const check = async (script: string) => (await askAgent(db, 'sieve.check', { script })).errors;

  it('accepts scripts with warnings', async () => {
    expect(await check(files('a', 'A'))).toEqual([]);
    expect(await check('require "vacation";\nvacation :days 7 "Away";\n# no line end')).toEqual([]);
  });

  it('reports each error with its line and without file names', async () => {
    const errors = await check(
      'require "fileinto";\n\nfileinto "A"\n;\nfrobnicate;\nif header :is "subject" { keep; }\n',
    );
    expect(errors.map(({ line }) => line)).toEqual([5, 6]);
    expect(errors[0]?.message).toMatch(/unknown command .*frobnicate/);
    const [unfinished] = await check('keep;\nif true {');
    expect(unfinished).toEqual({ line: 2, message: expect.stringContaining('end of') });
    expect(JSON.stringify([errors, unfinished])).not.toMatch(/\/tmp|sieve|script:/);
  });

  it('rejects other scripts, notifications, programs and unknown extensions', async () => {
    for (const extension of ['include', 'enotify', 'vnd.dovecot.pipe', 'vnd.dovecot.execute', 'nonsense']) {
      const [error] = await check(`require "${extension}";\n`);
      expect(error).toEqual({ line: 1, message: expect.stringContaining(extension) });
    }
  });

  it('rejects more than 64 KiB, and leaves no file behind', async () => {
    expect(await check(`# ${'é'.repeat(33_000)}\n`)).toEqual([
      { line: null, message: expect.stringContaining('65536') },
    ]);
    await check('keep;');
    expect(readdirSync(join(mailServer.data, 'run')).filter((name) => name.startsWith('sieve-'))).toEqual([]);
  });
});

describe('the storage usage of a mailbox', () => {
  const usedBytes = async () => Number((await db.mailbox.findUniqueOrThrow({ where: { id: mailbox.id } })).usedBytes);
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
      address(),
    ]);
    const roots = JSON.parse(text.toString()) as { type: string; value: string }[];
    return Number(roots.find(({ type }) => type === 'STORAGE')?.value);
  };

  it('follows deliveries, moves and deletions', async () => {
    await foldersAfterSending();
    await waitForUsage((bytes) => bytes > 0);
    const one = await usedBytes();
    expect(Math.ceil(one / 1024)).toBe(usedInDovecot());
    await foldersAfterSending();
    await waitForUsage((bytes) => bytes > one);
    const two = await usedBytes();

    const imap = await signInToImap(address(), PASSWORD);
    await imap.command('SELECT INBOX');
    await imap.command('MOVE 1 Junk');
    await imap.command('STORE 1 +FLAGS.SILENT (\\Deleted)');
    await imap.command('EXPUNGE');
    await imap.command('LOGOUT');
    await waitForUsage((bytes) => bytes > 0 && bytes < two);

    const again = await signInToImap(address(), PASSWORD);
    await again.command('SELECT Junk');
    await again.command('STORE 1 +FLAGS.SILENT (\\Deleted)');
    await again.command('EXPUNGE');
    await again.command('LOGOUT');
    await waitForUsage((bytes) => bytes === 0);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAlias, makeDomain, newName, PASSWORD } from '../support/directory';
import { activateKey, signaturesOf } from '../support/dkim-keys';
import { DELIVERY_TIMEOUT_MS, type FilteredMailbox, makeFilteredMailbox } from '../support/filtered-mailbox';
import { signInToImap } from '../support/imap-session';
import { db, startRemoteServer } from '../support/mail-server';
import { uploadScript } from '../support/manage-sieve';
import { messageText, openInbound } from '../support/smtp-session';

const remoteServer = await startRemoteServer();
let ann: FilteredMailbox;

beforeEach(async () => {
  ann = await makeFilteredMailbox();
});
// Global filters would affect other tests.
afterEach(() => db.sieveFilter.deleteMany());

describe('mail that a filter sends', () => {
  const copiesTo = (to: string) => remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(to));
  const onlyCopyTo = async (to: string) => {
    await expect.poll(() => copiesTo(to).length, { timeout: DELIVERY_TIMEOUT_MS }).toBe(1);
    return copiesTo(to)[0] as (typeof remoteServer.received)[number];
  };
  const elsewhere = () => `${newName()}@far.example`;
  const sendTo = async (to: string, from: string, envelope = from) =>
    (await openInbound()).send(envelope, [to], messageText({ from, to, subject: newName() }));

  it('forwarded, is unchanged and not signed by us, even if From is a managed domain', async () => {
    await activateKey(ann.domain.name, 'one');
    const to = elsewhere();
    await ann.makeFilter('mailbox', `require "copy";\nredirect :copy "${to}";\n`);
    expect(await ann.foldersAfterSending('', `ceo@${ann.domain.name}`)).toEqual(['INBOX']);
    const { raw, mailFrom } = await onlyCopyTo(to);
    expect(mailFrom).toBe(`ceo@${ann.domain.name}`);
    expect(raw.toString()).not.toMatch(/^DKIM-Signature:/im);
  });

  it('as auto-reply is signed by the mailbox’s domain', async () => {
    await activateKey(ann.domain.name, 'one');
    await ann.makeFilter('mailbox', 'require "vacation";\nvacation :subject "Away" "Later.";\n');
    const from = elsewhere();
    expect(await ann.foldersAfterSending('', from)).toEqual(['INBOX']);
    const { raw } = await onlyCopyTo(from);
    expect(raw.toString()).toMatch(/^Auto-Submitted: auto-replied/m);
    expect(await signaturesOf(raw)).toEqual([`pass rsa-sha256 by one.${ann.domain.name}`]);
  });

  it('as auto-reply doesn’t answer addresses that nobody reads', async () => {
    await activateKey(ann.domain.name, 'one');
    await ann.makeFilter('mailbox', 'require "vacation";\nvacation "Later.";\n');
    const [person, ...others] = [
      elsewhere(),
      'No-Reply@far.example',
      'donotreply+7@far.example',
      'noreply@far.example',
    ];
    for (const from of others) expect(await ann.foldersAfterSending('', from)).toEqual(['INBOX']);
    expect(await ann.foldersAfterSending('', person)).toEqual(['INBOX']);
    await onlyCopyTo(String(person));
    const answered = remoteServer.received.flatMap(({ rcptTo }) => rcptTo.map((address) => address.toLowerCase()));
    for (const from of others) expect(answered).not.toContain(from.toLowerCase());
  });

  it('as auto-reply answers mail to an alias, and to an address with a tag', async () => {
    await activateKey(ann.domain.name, 'one');
    await makeAlias(ann.domain.id, 'office', ann.address);
    await ann.makeFilter('mailbox', 'require "vacation";\nvacation "Later.";\n');
    for (const local of ['office', 'ann+shop']) {
      const from = elsewhere();
      const to = `${local}@${ann.domain.name}`;
      expect(await sendTo(to, from)).toMatch(/^250 /);
      expect((await onlyCopyTo(from)).raw.toString()).toMatch(/^Auto-Submitted: auto-replied/m);
    }
  });

  it('as auto-reply names the sender in To, if its envelope has an address for bounces', async () => {
    await activateKey(ann.domain.name, 'one');
    await ann.makeFilter('mailbox', 'require "vacation";\nvacation "Later.";\n');
    const [shop, person] = [elsewhere(), elsewhere()];
    expect(await sendTo(ann.address, 'no-reply@shop.example', shop)).toMatch(/^250 /);
    expect(await sendTo(ann.address, 'bo@near.example', person)).toMatch(/^250 /);
    expect((await onlyCopyTo(person)).raw.toString()).toMatch(/^To: .*bo@near\.example/m);
    expect(copiesTo(shop)).toEqual([]);
  });

  it('as auto-reply isn’t sent while the mailbox is suspended, and the message is kept', async () => {
    await activateKey(ann.domain.name, 'one');
    await ann.makeFilter('mailbox', 'require "vacation";\nvacation "Later.";\n');
    await db.mailbox.update({ where: { id: ann.mailbox.id }, data: { suspendedAt: new Date() } });
    const [suspended, unsuspended] = [elsewhere(), elsewhere()];
    expect(await ann.foldersAfterSending('', suspended)).toEqual(['INBOX']);
    await db.mailbox.update({ where: { id: ann.mailbox.id }, data: { suspendedAt: null } });
    expect(await ann.foldersAfterSending('', unsuspended)).toEqual(['INBOX']);
    await onlyCopyTo(unsuspended);
    expect(copiesTo(suspended)).toEqual([]);
  });

  it('as rejection has the reason, and the message isn’t kept', async () => {
    await activateKey(ann.domain.name, 'one');
    await ann.makeFilter('mailbox', 'require "reject";\nreject "Not wanted here.";\n');
    const from = elsewhere();
    await ann.send('', from, '');
    expect((await onlyCopyTo(from)).raw.toString()).toContain('Not wanted here.');
    expect(await (await signInToImap(ann.address, PASSWORD)).messages()).toEqual([]);
  });

  it('with another From, or for a domain without a key, isn’t sent, and the message is kept', async () => {
    const other = await makeDomain();
    await activateKey(other.name, 'other');
    const answer = await ann.makeFilter(
      'mailbox',
      `require "vacation";\nvacation :from "ceo@${other.name}" "Later.";\n`,
    );
    const from = elsewhere();
    expect(await ann.foldersAfterSending('', from)).toEqual(['INBOX']);
    await db.sieveFilter.update({
      where: { id: answer.id },
      data: { script: 'require "vacation";\nvacation "Later.";\n' },
    });
    expect(await ann.foldersAfterSending('', from)).toEqual(['INBOX']);
    await activateKey(ann.domain.name, 'late');
    await db.sieveFilter.update({
      where: { id: answer.id },
      data: { script: 'require "vacation";\nvacation "Now.";\n' },
    });
    await ann.foldersAfterSending('', from);
    expect((await onlyCopyTo(from)).raw.toString()).toContain('Now.');
  });

  it('as auto-reply can’t have another From by posing as forwarded mail', async () => {
    const other = await makeDomain();
    await activateKey(other.name, 'other');
    await activateKey(ann.domain.name, 'one');
    const reply = (from: string) =>
      `require "vacation";\nvacation :mime text:\nX-Sieve-Redirected-From: x\n${from}Content-Type: text/plain\n\nPay.\n.\n;\n`;
    const answer = await ann.makeFilter('mailbox', reply(`From: ceo@${other.name}\n`));
    const from = elsewhere();
    expect(await ann.foldersAfterSending('', from)).toEqual(['INBOX']);
    await db.sieveFilter.update({ where: { id: answer.id }, data: { script: reply('') } });
    await ann.foldersAfterSending('', from);
    expect(await signaturesOf((await onlyCopyTo(from)).raw)).toEqual([`pass rsa-sha256 by one.${ann.domain.name}`]);
  });

  it('can’t be a notification: owners’ scripts can’t use enotify', async () => {
    const script = 'require "enotify";\nnotify :from "ceo@elsewhere.example" "mailto:someone@elsewhere.example";\n';
    await expect(uploadScript(ann.address, PASSWORD, script)).rejects.toThrow('"NO ');
  });
});

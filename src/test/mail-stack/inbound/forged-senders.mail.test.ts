import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { APP_LOGIN, readInstallation } from '@/mail/agent/installation';
import { EXAMPLES } from '@/modules/sieve-filters/components/script/examples';
import { startTemporaryMailServer } from '../../../../scripts/mail/temporary-mail-server.mjs';
import { startDns } from '../../servers/dns';
import { startSmtpServer } from '../../servers/smtp-server';
import { makeAlias, makeDomain, makeMailbox, newName } from '../support/directory';
import { db, mailServer } from '../support/mail-server';
import { openWire } from '../support/wire';

const HONEST_ADDRESS = '192.0.2.1';
const STRANGERS_ADDRESS = '198.51.100.7';
const BACKUP_ADDRESS = '203.0.113.5';
const WITHIN = { timeout: 40_000 };

const dns = await startDns();
afterAll(dns.stop);
const elsewhere = await startSmtpServer({
  onRecipient: (address) => (address.startsWith('nobody') ? { code: 550, text: '5.1.1 No such user' } : undefined),
});
afterAll(elsewhere.close);
// A mail server of its own, which checks SPF.
const { mailServer: own, stop } = await startTemporaryMailServer(String(mailServer.settings.DATABASE), {
  NETWORK_CHECKS: 'yes',
  GREYLISTING: 'no',
  TRUSTED_FORWARDERS: '2001:db8::/48, 203.0.113.0/28',
  DNS_SERVERS: `127.0.0.1:${dns.port}`,
  RELAY_HOST: `[127.0.0.1]:${elsewhere.port}`,
});
afterAll(stop);
const { ports, postfixLog, redis: keys } = readInstallation(own.config);
const postfix = (command: string, ...args: string[]) =>
  execFileSync(command, ['-c', join(own.config, 'postfix'), ...args], { stdio: 'ignore' });
// Clients can say which address they have, and what asks the agent is open: the port for filters, and the hourly limits.
postfix(
  'postconf',
  '-e',
  'smtpd_authorized_xclient_hosts=127.0.0.0/8',
  'postroom_filters_only=permit_mynetworks',
  'postroom_sending_limits=',
);
postfix('postfix', 'reload');

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keyRecord = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

let domain: { id: string; name: string };
/** A domain whose SPF record allows one address. */
let honest: string;

beforeEach(async () => {
  domain = await makeDomain();
  honest = `${newName()}.example`;
  dns.zone[honest] = { TXT: [`v=spf1 ip4:${HONEST_ADDRESS} -all`] };
  dns.zone[`k._domainkey.${honest}`] = { TXT: [`v=DKIM1; k=rsa; p=${keyRecord}`] };
});

type Options = { isSigned?: boolean; submitted?: boolean; envelope?: string };

/** @returns the reply to the message */
async function sendFrom(
  address: string,
  from: string,
  to: string,
  { isSigned = false, submitted = false, envelope = from }: Options = {},
): Promise<string> {
  const dkim = {
    domainName: honest,
    keySelector: 'k',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const mail = { from, to, subject: newName(), text: 'Good morning.', dkim: isSigned ? dkim : undefined };
  const { message } = await transport.sendMail(mail);
  const wire = await openWire(submitted ? ports.submissions : ports.smtp, submitted);
  const password = Buffer.from(`\0${APP_LOGIN}\0${own.settings.APP_PASSWORD}`).toString('base64');
  const lines = [
    'EHLO localhost',
    `XCLIENT ADDR=${address} NAME=client.${honest}`,
    `EHLO client.${honest}`,
    ...(submitted ? [`AUTH PLAIN ${password}`] : []),
    `MAIL FROM:<${envelope}>`,
    `RCPT TO:<${to}>`,
    'DATA',
  ];
  await wire.readUntil(/^\d{3} .*\r\n/m);
  for (const line of lines) {
    wire.write(`${line}\r\n`);
    expect(await wire.readUntil(/^\d{3} .*\r\n/m)).toMatch(/^[23]\d\d[ -]/);
  }
  wire.write(`${message}\r\n.\r\n`);
  const reply = await wire.readUntil(/^\d{3} .*\r\n/m);
  wire.close();
  return reply;
}

const redis = (...args: string[]) =>
  execFileSync('redis-cli', ['-p', String(keys.port), ...args], {
    env: { ...process.env, REDISCLI_AUTH: keys.password },
  });

function messagesIn(address: string, folder: string): number {
  const args = ['-c', join(own.config, 'dovecot/dovecot.conf'), 'search', '-u', address, 'mailbox', folder];
  // Its error says that the folder doesn't exist yet.
  const { stdout } = spawnSync('doveadm', args, { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).length;
}

const bouncesTo = (address: string) =>
  elsewhere.received.filter(({ mailFrom, rcptTo }) => mailFrom === '' && rcptTo.includes(address));
const discarded = () => readFileSync(postfixLog, 'utf8').match(/milter-discard: /g)?.length ?? 0;

it('a bounce of forwarded mail goes to its sender, unless SPF says that the message isn’t from there', async () => {
  await makeAlias(domain.id, 'away', 'nobody@far.example');
  const to = `away@${domain.name}`;
  const [sender, forged, signer] = [`ann@${honest}`, `bo@${honest}`, `cy@${honest}`];
  const before = discarded();
  await sendFrom(STRANGERS_ADDRESS, forged, to);
  await expect.poll(discarded, WITHIN).toBe(before + 1);
  await sendFrom(HONEST_ADDRESS, sender, to);
  await sendFrom(STRANGERS_ADDRESS, signer, to, { isSigned: true });
  await expect.poll(() => bouncesTo(sender).length, WITHIN).toBe(1);
  await expect.poll(() => bouncesTo(signer).length, WITHIN).toBe(1);
  expect(bouncesTo(forged)).toEqual([]);
  expect(bouncesTo(sender)[0]?.raw.toString()).not.toMatch(/^DKIM-Signature:/m);
});

it('so does a rejection by a filter', async () => {
  const { id } = await makeMailbox(domain.id, 'ann');
  const script = 'require "reject";\nreject "Not wanted here.";\n';
  await db.sieveFilter.create({ data: { scope: 'mailbox', mailboxId: id, name: newName(), script } });
  const [sender, forged] = [`ann@${honest}`, `bo@${honest}`];
  const before = discarded();
  await sendFrom(STRANGERS_ADDRESS, forged, `ann@${domain.name}`);
  await expect.poll(discarded, WITHIN).toBe(before + 1);
  await sendFrom(HONEST_ADDRESS, sender, `ann@${domain.name}`);
  await expect.poll(() => bouncesTo(sender).length, WITHIN).toBe(1);
  expect(bouncesTo(forged)).toEqual([]);
});

const REFUSED = /^554 5\.7\.1 /;
const ACCEPTED = /^250 /;

it('mail that fails the policy reject of its sender’s domain is rejected', async () => {
  await makeMailbox(domain.id, 'ann');
  const [from, to] = [`boss@${honest}`, `ann@${domain.name}`];
  dns.zone[`_dmarc.${honest}`] = { TXT: ['v=DMARC1; p=reject'] };
  expect(await sendFrom(STRANGERS_ADDRESS, from, to)).toMatch(REFUSED);
  expect(await sendFrom(STRANGERS_ADDRESS, from, to, { envelope: `news@${newName()}.example` })).toMatch(REFUSED);
  expect(await sendFrom(HONEST_ADDRESS, from, to)).toMatch(ACCEPTED);
  // Forwarded mail keeps its signature.
  expect(await sendFrom(STRANGERS_ADDRESS, from, to, { isSigned: true })).toMatch(ACCEPTED);
});

it('a subdomain has its own policy, or that of the domain for subdomains', async () => {
  await makeMailbox(domain.id, 'ann');
  const to = `ann@${domain.name}`;
  dns.zone[`_dmarc.${honest}`] = { TXT: ['v=DMARC1; p=none; sp=reject'] };
  dns.zone[`_dmarc.own.${honest}`] = { TXT: ['v=DMARC1; p=none'] };
  expect(await sendFrom(STRANGERS_ADDRESS, `boss@${honest}`, to)).toMatch(ACCEPTED);
  expect(await sendFrom(STRANGERS_ADDRESS, `boss@sub.${honest}`, to)).toMatch(REFUSED);
  expect(await sendFrom(STRANGERS_ADDRESS, `boss@own.${honest}`, to)).toMatch(ACCEPTED);
});

it.each(['p=quarantine', 'p=reject; pct=0'])('mail that fails the policy %s is marked as spam', async (policy) => {
  await makeMailbox(domain.id, 'ann');
  const script = EXAMPLES.find(({ name }) => name === 'Spam to Junk')?.script ?? '';
  await db.sieveFilter.create({ data: { scope: 'domain', domainId: domain.id, name: newName(), script } });
  const [from, to] = [`boss@${honest}`, `ann@${domain.name}`];
  dns.zone[`_dmarc.${honest}`] = { TXT: [`v=DMARC1; ${policy}`] };
  // Nothing else looks like spam.
  const stranger = `${newName()}.example`;
  dns.zone[stranger] = { TXT: [`v=spf1 ip4:${STRANGERS_ADDRESS} -all`] };
  dns.zone[`client.${honest}`] = { A: [STRANGERS_ADDRESS] };
  expect(await sendFrom(STRANGERS_ADDRESS, from, to, { envelope: `news@${stranger}` })).toMatch(ACCEPTED);
  await expect.poll(() => messagesIn(to, 'Junk'), WITHIN).toBe(1);
  expect(await sendFrom(HONEST_ADDRESS, from, to)).toMatch(ACCEPTED);
  await expect.poll(() => messagesIn(to, 'INBOX'), WITHIN).toBe(1);
});

it('mail that a backup passes on is not judged by the backup’s address, nor are its bounces', async () => {
  await makeMailbox(domain.id, 'ann');
  await makeAlias(domain.id, 'away', 'nobody@far.example');
  dns.zone[`_dmarc.${honest}`] = { TXT: ['v=DMARC1; p=reject'] };
  const from = `boss@${honest}`;
  expect(await sendFrom(BACKUP_ADDRESS, from, `ann@${domain.name}`)).toMatch(ACCEPTED);
  expect(await sendFrom(BACKUP_ADDRESS, from, `away@${domain.name}`)).toMatch(ACCEPTED);
  await expect.poll(() => bouncesTo(from).length, WITHIN).toBe(1);
  // Nor does it make answers to it trusted, which anybody could write.
  expect(redis('KEYS', 'rr*').toString().trim()).toBe('');
});

it('mail that is submitted here needn’t pass the policy', async () => {
  await makeMailbox(domain.id, 'ann');
  dns.zone[`_dmarc.${domain.name}`] = { TXT: ['v=DMARC1; p=reject'] };
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  redis('HSET', 'dkim_keys', `k.${domain.name}`, key);
  redis('HSET', 'dkim_selectors', domain.name, 'k');
  const [from, to] = [`boss@${domain.name}`, `ann@${domain.name}`];
  expect(await sendFrom(STRANGERS_ADDRESS, from, to)).toMatch(REFUSED);
  expect(await sendFrom(STRANGERS_ADDRESS, from, to, { submitted: true })).toMatch(ACCEPTED);
});

import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { startTemporaryMailServer } from '../../../../scripts/mail/temporary-mail-server.mjs';
import { startDns } from '../../servers/dns';
import { startSmtpServer } from '../../servers/smtp-server';
import { makeAlias, makeDomain, makeMailbox, newName } from '../support/directory';
import { db, mailServer } from '../support/mail-server';
import { openWire } from '../support/wire';

const HONEST_ADDRESS = '192.0.2.1';
const STRANGERS_ADDRESS = '198.51.100.7';
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
  DNS_SERVERS: `127.0.0.1:${dns.port}`,
  RELAY_HOST: `[127.0.0.1]:${elsewhere.port}`,
});
afterAll(stop);
const { ports, postfixLog } = readInstallation(own.config);
const postfix = (command: string, ...args: string[]) =>
  execFileSync(command, ['-c', join(own.config, 'postfix'), ...args], { stdio: 'ignore' });
// Clients can say which address they have, and the port for filters, which asks the agent who connects, is open.
postfix('postconf', '-e', 'smtpd_authorized_xclient_hosts=127.0.0.0/8', 'postroom_filters_only=permit_mynetworks');
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

async function sendFrom(address: string, from: string, to: string, { isSigned = false } = {}): Promise<string> {
  const dkim = {
    domainName: honest,
    keySelector: 'k',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const mail = { from, to, subject: newName(), text: 'Good morning.', dkim: isSigned ? dkim : undefined };
  const { message } = await transport.sendMail(mail);
  const wire = await openWire(ports.smtp, false);
  const lines = [
    'EHLO localhost',
    `XCLIENT ADDR=${address} NAME=client.${honest}`,
    `EHLO client.${honest}`,
    `MAIL FROM:<${from}>`,
    `RCPT TO:<${to}>`,
    'DATA',
    `${message}\r\n.`,
  ];
  await wire.readUntil(/^\d{3} .*\r\n/m);
  let reply = '';
  for (const line of lines) {
    wire.write(`${line}\r\n`);
    reply = await wire.readUntil(/^\d{3} .*\r\n/m);
    expect(reply).toMatch(/^[23]\d\d[ -]/);
  }
  wire.close();
  return reply;
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

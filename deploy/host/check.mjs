// `deploy/install --check`, and the end of every installation: what to do next, and what is still wrong.
import { existsSync, statfsSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { countMessages } from '../mail/former-mail-server.mjs';
import { readRelay, testRelay } from '../mail/relay.mjs';
import { run, succeeds } from './commands.mjs';
import { canSignIn, literal, sql } from './database.mjs';
import { listeners } from './listeners.mjs';
import {
  addressesOf,
  addressProblems,
  canConnect,
  certificateAt,
  namesOf,
  outboundServer,
  publicAddresses,
  reverseProblems,
  sendingAddresses,
  sendingProblems,
} from './network.mjs';
import { readSettings } from './settings.mjs';
import { isAppReady, MAIL_CONFIG } from './steps.mjs';

const GB = 1_073_741_824;
const SERVICES = ['', '-mail-redis', '-mail-rspamd', '-mail-dovecot', '-mail-postfix', '-mail-agent'].map(
  (name) => `postroom${name}`,
);
const MAIL_PORTS = [25, 465, 587, 143, 993];
const CERTIFICATE_WITHIN_MS = 30_000;

/**
 * @typedef {{ name: string, run: (settings: import('./settings.mjs').Settings) => Promise<string[]> | string[] }} Check
 *   `run` returns what is wrong, each with what to do
 * @type {Check[]}
 */
const CHECKS = [
  {
    name: 'Services',
    run: stoppedServices,
  },
  {
    name: 'Console',
    run: async (settings) => {
      if (!(await isAppReady())) return ["The app doesn't answer: journalctl -u postroom"];
      if (settings.REVERSE_PROXY === 'none') return [];
      return describeCertificate(settings.APP_URL ?? '', 443, 'journalctl -u caddy');
    },
  },
  {
    name: 'Mail certificate',
    run: (settings) => {
      const port = Number(settings.MAIL_SUBMISSIONS_PORT ?? 465);
      return describeCertificate(`https://${settings.MAIL_HOST}`, port, 'System → Health in the console');
    },
  },
  {
    name: 'Address of the host',
    run: async ({ MAIL_HOST: host = '' }) => {
      const [published, sending] = await Promise.all([addressesOf(host), ownSendingAddresses()]);
      return [...addressProblems(host, published, publicAddresses()), ...sendingProblems(host, published, sending)];
    },
  },
  {
    name: 'Reverse DNS',
    run: async ({ MAIL_HOST: host = '' }) => {
      const addresses = await addressesOf(host);
      return reverseProblems(host, addresses, await Promise.all(addresses.map(namesOf)));
    },
  },
  {
    // A connection of the host to its own address passes no firewall, and behind NAT it may not work though all others do.
    name: 'Ports (whether a firewall lets the internet reach them can’t be seen from this host)',
    run: (settings) => {
      const open = listeners().flatMap(({ port, isLoopback }) => (isLoopback ? [] : [port]));
      const ports = [...MAIL_PORTS, ...(settings.REVERSE_PROXY === 'none' ? [] : [80, 443])];
      const closed = ports.filter((port) => !open.includes(port));
      return closed.length === 0 ? [] : [`Nothing listens on port ${closed.join(', ')}: see the services above.`];
    },
  },
  {
    name: 'Outbound mail',
    run: async ({ MAIL_RELAY_HOST: wanted }) => {
      const relay = existsSync(`${MAIL_CONFIG}/postfix/main.cf`) ? readRelay(MAIL_CONFIG) : null;
      if ((wanted ?? '') !== (relay?.destination ?? ''))
        return ['MAIL_RELAY_HOST was changed and isn’t in use yet: run deploy/install.'];
      if (relay) {
        const { outcome, message } = await testRelay(relay);
        return outcome === 'accepted' ? [] : [message.replace(/\bRELAY_/g, 'MAIL_RELAY_')];
      }
      const server = await outboundServer();
      if (!server) return ['DNS doesn’t answer, so the server can’t find where mail goes: see /etc/resolv.conf'];
      if (await canConnect(server)) return [];
      return [
        `Port 25 of ${server.host} can’t be reached: many providers block it. Ask yours to open it, or set MAIL_RELAY_HOST (docs/mail-server.md).`,
      ];
    },
  },
  {
    name: 'Mail to the postmaster',
    run: ({ MAIL_POSTMASTER: address = '', DATABASE_URL: url = '' }) => {
      const [local = '', domain = ''] = address.split('@').map(literal);
      if (!canSignIn(url)) return ['The database of the app can’t be used: DATABASE_URL in /etc/postroom/settings'];
      return sql(url, `SELECT * FROM mta.is_role_address(${local}, ${domain});`) === ''
        ? []
        : [
            `Mail to postmaster@ and abuse@ is deferred: ${address} has no mailbox or alias. Add one in the console, or set MAIL_POSTMASTER.`,
          ];
    },
  },
  {
    name: 'Mail of programs on this host',
    run: () =>
      countMessages().map(
        ({ program, count }) =>
          `Nothing delivers the mail in the queue of the former ${program} (${count}), where programs of this host put it by sendmail. Let them submit with an API key instead (docs/sending.md).`,
      ),
  },
  {
    name: 'Clock',
    // On a host without D-Bus, timedatectl fails.
    run: () =>
      succeeds('sh', ['-c', 'timedatectl show --property=NTPSynchronized --value | grep -qx yes'])
        ? []
        : [`The clock isn’t synchronized, and says ${new Date().toUTCString()}: apt install systemd-timesyncd dbus`],
  },
  {
    name: 'Disk',
    run: ({ MAIL_DATA_DIR: folder = '/var/lib/postroom-mail' }) => {
      const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : '/');
      const freeGb = (bavail * bsize) / GB;
      return freeGb < 2 ? [`Only ${freeGb.toFixed(1)} GB are free for mail in ${folder}.`] : [];
    },
  },
  {
    name: 'Memory',
    run: () =>
      totalmem() < 1.7 * GB
        ? [
            `The host has ${(totalmem() / GB).toFixed(1)} GB of memory, of which ${(freemem() / GB).toFixed(1)} GB are free. 2 GB are recommended.`,
          ]
        : [],
  },
];

/** @returns {string[]} a sentence for each service that doesn't run */
export function stoppedServices() {
  return SERVICES.filter((unit) => !succeeds('systemctl', ['is-active', '--quiet', unit])).map(
    (unit) => `${unit} isn't running: systemctl status ${unit}`,
  );
}

/** @returns {Promise<boolean>} whether nothing is wrong */
export async function printReport() {
  const settings = readSettings();
  await certificateArrives(settings);
  console.log(`\nConsole: ${settings.APP_URL}`);
  const link = setupLink(settings);
  if (link) console.log(`Set up the first admin: ${link}`);
  console.log(`\n${(await recordsToPublish(settings)).join('\n')}\n`);
  let isFine = true;
  for (const check of CHECKS) {
    const problems = await check.run(settings);
    if (problems.length > 0) isFine = false;
    console.log(problems.length === 0 ? `✓ ${check.name}` : `✗ ${check.name}\n    ${problems.join('\n    ')}`);
  }
  return isFine;
}

/**
 * Waits for the certificate that the agent has just asked for, if DNS has the name.
 * @param {import('./settings.mjs').Settings} settings
 */
async function certificateArrives({ MAIL_HOST: name, MAIL_SUBMISSIONS_PORT: port = '465', MAIL_ACME_EMAIL: email }) {
  if (!email || !name || (await addressesOf(name)).length === 0) return;
  const deadline = Date.now() + CERTIFICATE_WITHIN_MS;
  while (Date.now() < deadline && (await certificateAt({ port: Number(port), name }))?.isSelfSigned)
    await new Promise((resolve) => setTimeout(resolve, 1000));
}

/** @returns {string | null} the last link that the app printed, as long as there is no admin */
function setupLink({ DATABASE_URL: url = '' }) {
  if (!canSignIn(url) || sql(url, 'SELECT EXISTS (SELECT FROM admin);') === 't') return null;
  const log = run('journalctl', ['--unit=postroom', '--output=cat', '--no-pager']);
  return [...log.matchAll(/https?:\/\/\S+\/setup\?token=\S+/g)].at(-1)?.[0] ?? null;
}

/** None with a relay, whose addresses count. */
async function ownSendingAddresses() {
  const postfix = `${MAIL_CONFIG}/postfix`;
  if (!existsSync(`${postfix}/main.cf`) || readRelay(MAIL_CONFIG)) return [];
  const isIpv4Only = run('postconf', ['-c', postfix, '-h', 'inet_protocols']).trim() === 'ipv4';
  return sendingAddresses(isIpv4Only ? ['udp4'] : ['udp4', 'udp6']);
}

async function recordsToPublish({ MAIL_HOST: host = '', APP_URL: url = '' }) {
  const known = publicAddresses();
  const addresses = known.length > 0 ? known : ['the host’s public address'];
  const names = [...new Set([host, new URL(url).hostname])];
  const rows = names.flatMap((name) =>
    addresses.map((address) => [name, address.includes(':') ? 'AAAA' : 'A', address]),
  );
  const reverse = addresses.map((address) => [address, 'PTR', `${host} (at the provider of the host)`]);
  const width = Math.max(...[...rows, ...reverse].map(([name]) => String(name).length));
  return [
    'DNS records of the host:',
    ...[...rows, ...reverse].map(
      ([name, type, value]) => `  ${String(name).padEnd(width)}  ${String(type).padEnd(4)}  ${value}`,
    ),
    'Those of your domains (MX, SPF, DKIM, DMARC and more) are on the page of each domain in the console.',
  ];
}

async function describeCertificate(url, port, where) {
  const name = new URL(url).hostname;
  const certificate = await certificateAt({ port, name });
  if (!certificate) return [`Nobody answers with TLS for ${name} on port ${port}. The reason: ${where}`];
  const { isTrusted, isSelfSigned, reason, daysLeft } = certificate;
  if (isSelfSigned) return [`Port ${port} has no trusted certificate for ${name} yet. The reason: ${where}`];
  if (!isTrusted) return [`The certificate for ${name} on port ${port} isn't trusted: ${reason}`];
  return daysLeft < 14 ? [`The certificate for ${name} on port ${port} ends in ${daysLeft} days: ${where}`] : [];
}

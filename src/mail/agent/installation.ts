import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** User name with which the app submits; every other user is a mailbox or an API key. */
export const APP_LOGIN = 'postroom';

const KEY_LOGIN = /^([0-9a-f-]{36})@apikey$/;

/** The id of the API key whose SMTP sessions have this user name, which mta.dovecot_key_login makes; null for other users. */
export function keyIdIn(login: string | null): string | null {
  return KEY_LOGIN.exec(login ?? '')?.[1] ?? null;
}

/** How the certificate is obtained. */
export type Acme = {
  email: string;
  /** URL of the directory. */
  server: string;
  /** Host names in the certificate besides the host's own. */
  names: string[];
  /** Where the ACME client listens, unless DNS records prove the names. */
  httpAddress: string;
  /** `isChecked`: waits until the authoritative servers have the record. */
  dns: { provider: string; credentialsFile: string; servers: string[]; isChecked: boolean } | null;
  /** Certificates to trust the ACME server with, if not those of the system. */
  caFile: string | null;
};

/** Paths of a mail server that deploy/mail installed. */
export type Installation = {
  host: string;
  config: string;
  /** The file that the configuration is generated from. */
  settings: string;
  /** The generation of Dovecot that the configuration is for. */
  dovecot: '2.3' | '2.4';
  data: string;
  postfixLog: string;
  filterLog: string;
  policySocket: string;
  /** Where Postfix delivers mail with reports. */
  reportSocket: string;
  redis: { port: number; password: string };
  /** Ports on this host. */
  ports: { smtp: number; submissions: number; imaps: number };
  /** Where they are reached from this host. */
  probeAddress: string;
  signIns: { port: number; key: string };
  /** Where Dovecot, as the owner of the mailboxes, submits the mail of filters. */
  filters: { port: number; uid: number };
  /** Files that Postfix and Dovecot read when they start or reload. */
  tls: { certificate: string; key: string };
  /** Null if someone else replaces the files. */
  acme: Acme | null;
};

/** @throws if the folder has no mail server configuration */
export function readInstallation(config: string): Installation {
  // configure.mjs writes it and allows no character that parseEnv would treat as a quote or a comment.
  const values = parseEnv(readFileSync(join(config, 'environment'), 'utf8'));
  const value = (name: string) => {
    const text = values[name];
    if (!text) throw new Error(`${join(config, 'environment')} has no ${name}. Run deploy/mail/install again.`);
    return text;
  };
  const data = realPath(value('DATA'));
  return {
    host: value('HOSTNAME'),
    config,
    settings: value('SETTINGS'),
    dovecot: value('DOVECOT') === '2.3' ? '2.3' : '2.4',
    data,
    postfixLog: join(data, 'log/postfix/mail.log'),
    filterLog: join(data, 'log/rspamd/rspamd.log'),
    policySocket: join(data, 'run/agent/policy.sock'),
    reportSocket: join(data, 'run/agent/reports.sock'),
    redis: { port: Number(value('REDIS_PORT')), password: value('REDIS_PASSWORD') },
    ports: {
      smtp: Number(value('SMTP_PORT')),
      submissions: Number(value('SUBMISSIONS_PORT')),
      imaps: Number(value('IMAPS_PORT')),
    },
    probeAddress: value('PROBE_ADDRESS'),
    signIns: { port: Number(value('AGENT_PORT')), key: value('AGENT_KEY') },
    filters: { port: Number(value('FILTER_PORT')), uid: Number(value('MAIL_UID')) },
    tls: { certificate: value('TLS_CERTIFICATE'), key: value('TLS_KEY') },
    acme: values.ACME_EMAIL ? acmeOf(values, value) : null,
  };
}

/** Returns the path without symlinks, as the kernel and restic name it. An admin may have put one there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
}

function acmeOf(values: NodeJS.Dict<string>, value: (name: string) => string): Acme {
  const list = (name: string) => (values[name] ?? '').split(',').filter(Boolean);
  return {
    email: value('ACME_EMAIL'),
    server: value('ACME_SERVER'),
    names: list('ACME_NAMES'),
    httpAddress: value('ACME_HTTP_ADDRESS'),
    dns: values.ACME_DNS_PROVIDER
      ? {
          provider: values.ACME_DNS_PROVIDER,
          credentialsFile: value('ACME_DNS_CREDENTIALS'),
          servers: list('ACME_DNS_SERVERS'),
          isChecked: value('ACME_DNS_CHECK') === 'yes',
        }
      : null,
    caFile: values.ACME_CA_FILE || null,
  };
}

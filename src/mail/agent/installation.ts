import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** User name with which the app submits; every other user is a mailbox. */
export const APP_LOGIN = 'postroom';

/** Paths of a mail server that deploy/mail installed. */
export type Installation = {
  host: string;
  config: string;
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
  const data = value('DATA');
  return {
    host: value('HOSTNAME'),
    config,
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
  };
}

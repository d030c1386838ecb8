import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const DOMAIN_NAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;
const RECIPIENT = /^age1[02-9ac-hj-np-z]{58}$/;
const Email = z.email().max(254);

/** The kinds of alerts; those of the API (AlertKind of the module alerts). */
export const ALERT_KINDS = [
  'mailbox_suspended',
  'rate_limited',
  'volume_spike',
  'webhook_failing',
  'wrong_passwords',
  'dns_broken',
  'content_store',
  'system_down',
  'system_degraded',
];

/** @param {string} value */
export function isAlertKind(value) {
  return ALERT_KINDS.includes(value);
}

/** @param {string} value in any letter case */
export function isDomainName(value) {
  return DOMAIN_NAME.test(value.toLowerCase());
}

/** Whether a text can be the name of a DNS record, which may have labels such as `_spf`. @param {string} value */
export function isRecordName(value) {
  return isDomainName(value.replace(/(^|\.)_(?=[a-z0-9][^.]*\.)/gi, '$1'));
}

/** @param {string} value */
export function isEmail(value) {
  return Email.safeParse(value).success;
}

/** Whether it is a public key of age. @param {string} value */
export function isRecipient(value) {
  return RECIPIENT.test(value);
}

/** @param {string} value @param {string[]} protocols */
export function isUrlOf(value, protocols) {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocols.includes(protocol) && hostname !== '';
}

const SOCKET_URL = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?\/([^?#]*)\?([^#]*)$/;

/** The URL of a Postgres. The folder of its socket may be the option `host`, as libpq has it. @param {string} value */
export function toPostgresUrl(value) {
  const [, scheme, user = '', database, query] = SOCKET_URL.exec(value) ?? [];
  const options = new URLSearchParams(query);
  const folder = options.get('host');
  if (!folder?.startsWith('/')) return value;
  options.delete('host');
  return `${scheme}${user}${encodeURIComponent(folder)}/${database}?${options}`;
}

/** @param {string} value */
export function isHttps(value) {
  if (!URL.canParse(value) || /\s/.test(value) || value.length > 2048) return false;
  const { protocol, username, password } = new URL(value);
  return protocol === 'https:' && !username && !password;
}

/** @param {string} value */
export function isOrigin(value) {
  if (!isUrlOf(value, ['http:', 'https:'])) return false;
  const { href, origin, hostname } = new URL(value);
  return href === `${origin}/` && !hostname.includes('*');
}

/** An origin as browsers write it. @param {string} value */
export function toOrigin(value) {
  return new URL(value).origin;
}

/** @param {string} value */
export function toLowerCase(value) {
  return value.toLowerCase();
}

/** @param {string} value */
export function isDnsServer(value) {
  const [, bracketed, four, port = '53'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  const isAddress =
    bracketed !== undefined ? ipaddr.IPv6.isValid(bracketed) : ipaddr.IPv4.isValidFourPartDecimal(four ?? '');
  return (isAddress && Number(port) > 0 && Number(port) < 65536) || ipaddr.IPv6.isValid(value);
}

/** @param {string} value */
export function isAddressOrRange(value) {
  const [address = ''] = value.split('/');
  const isPlainAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isPlainAddress && (value === address || ipaddr.isValidCIDR(value));
}

const QUIET_HOURS = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d( \S+)?$/;

/** @param {string} value such as `22:00-07:00 Europe/Berlin` */
export function isQuietHours(value) {
  const { from, to, timeZone } = toQuietHours(value);
  return QUIET_HOURS.test(value) && from !== to && isTimeZone(timeZone);
}

/** @param {string} value */
export function toQuietHours(value) {
  const [hours = '', timeZone = 'UTC'] = value.split(' ');
  const [from = '', to = ''] = hours.split('-');
  return { from, to, timeZone };
}

/** @param {string} value */
function isTimeZone(value) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
}

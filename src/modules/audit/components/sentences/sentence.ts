import { formatPlural } from '@/lib/format';
import type { AuditAction } from '@/lib/texts/audit-actions';
import { findKind } from '@/lib/texts/audit-kinds';
import type { AuditEntry } from '../../schema';
import { operationHost } from './operations';
import { type Part, partOf } from './part';
import { PHRASES } from './phrases';
import { recordedPhrase } from './recorded';

/** An entry in words: "ada@here.example" "(API key “Shop”)" "deactivated alias" "info@here.example". */
export type Sentence = {
  actor: string;
  /** The API key that the actor used; else empty. */
  via: string;
  verb: string;
  name: string | null;
  after: string;
  isDryRun: boolean;
};

export function sentenceOf(entry: AuditEntry): Sentence {
  const isDryRun = isDryRunOf(entry);
  const name = nameOf(entry);
  const phrase = recordedPhrase(entry) ?? PHRASES[entry.action as AuditAction];
  const verb = phrase ? verbOf(entry, phrase, isDryRun) : `recorded ${entry.action}`;
  const { further_attempts: further } = entry.details;
  const after = [
    phrase?.after,
    typeof further === 'number' && `and ${formatPlural(further, 'more time', 'more times')}`,
  ];
  return {
    actor: actorOf(entry),
    via: viaOf(entry),
    verb: name === null ? withDeterminer(verb, entry) : verb,
    name,
    after: after.filter(Boolean).join(', '),
    isDryRun,
  };
}

/** The sentence within the history of its record, which it therefore doesn't name: "changed the quota of this mailbox". */
export function historySentenceOf(entry: AuditEntry): Omit<Sentence, 'name'> {
  const { name: _, ...sentence } = sentenceOf(entry);
  return { ...sentence, verb: withDeterminer(sentenceOf({ ...entry, resource_name: 'x' }).verb, entry, 'this') };
}

export function textOf({ actor, via, verb, name, after }: Sentence): string {
  return [actor, via, verb, name, after].filter(Boolean).join(' ');
}

/** Whether the mail server didn't say if it accepted a message. */
export function isUnconfirmed({ outcome, details }: Pick<AuditEntry, 'outcome' | 'details'>): boolean {
  return outcome === 'error' && details.outcome === 'uncertain';
}

function actorOf({ admin_email: email, details, outcome }: AuditEntry): string {
  if (email !== null) return email;
  if (details.source === 'command_line') return 'Command line';
  return outcome === 'denied' ? 'Somebody who isn’t signed in' : 'Postroom';
}

function viaOf({ admin_email: email, api_key_id: id, api_key_name: name }: AuditEntry): string {
  return email !== null && id ? `(API key${name ? ` “${name}”` : ''})` : '';
}

function verbOf(entry: AuditEntry, { did, toDo }: { did: string; toDo: string }, isDryRun: boolean): string {
  if (entry.outcome === 'denied') return `tried to ${toDo}`;
  if (isUnconfirmed(entry)) return `may have ${did}`;
  if (entry.outcome === 'error') return `couldn’t ${toDo}`;
  if (isDryRun) return `${entry.action.endsWith('.finish') ? 'finished' : 'did'} a dry run: ${toDo}`;
  if (entry.details.requires_totp === true) return 'entered the right password';
  const change = changeOf(entry);
  return change ? PHRASES[entry.action as AuditAction].did.replace(/^changed/, change) : did;
}

/** Returns the verb for an update, such as "activated", or undefined if no verb describes it. */
function changeOf({ details }: AuditEntry): string | undefined {
  const [before, after] = [partOf(details.before), partOf(details.after)];
  if (typeof before.active === 'boolean' && before.active !== after.active) {
    return after.active ? 'activated' : 'deactivated';
  }
  const status = after.status ?? after.state;
  return status === (before.status ?? before.state) ? undefined : CHANGES[String(status)];
}

const CHANGES: Record<string, string> = {
  acknowledged: 'acknowledged',
  closed: 'closed',
  open: 'reopened',
  draining: 'drained',
  active: 'activated',
};

/** Whether it only shows what would change. */
function isDryRunOf({ action, details }: AuditEntry): boolean {
  const isPreview = action.startsWith('backup.') && details.action === 'preview';
  return isPreview || details.dry_run === true || partOf(details.after).dry_run === true;
}

function nameOf(entry: AuditEntry): string | null {
  const { action, resource, resource_name: name, admin_email: email, details } = entry;
  const [kind] = resource.split(':') as [string];
  if (kind === 'config') return Object.keys(partOf(details.after)).join(', ') || null;
  if (kind === 'operation') return operationHost(entry);
  if (kind === 'queue') return queuedOf(partOf(details.before));
  if (name === null || findKind(action)?.noun === null) return null;
  if (kind === 'message') return `“${name}”`;
  return kind === 'admin' && name === email ? 'their own account' : name;
}

function queuedOf({ recipients }: Part): string | null {
  if (!Array.isArray(recipients) || recipients.length === 0) return null;
  const [first, ...others] = recipients;
  return `the message to ${first}${others.length > 0 ? ` +${others.length}` : ''}`;
}

/** "delete alias" becomes "delete an alias", and "check the DNS of" becomes "check the DNS of a domain". */
function withDeterminer(verb: string, { action, resource }: AuditEntry, given?: 'this'): string {
  const [kind] = resource.split(':') as [string];
  const noun = findKind(resource)?.noun;
  if (!noun) return verb;
  const determiner = given ?? (/^[aA]/.test(noun) ? 'an' : 'a');
  if (/ (of|to|for|about)$/.test(verb) || (kind === 'queue' && action !== 'queue.flush'))
    return `${verb} ${determiner} ${noun}`;
  const isCounted = verb.endsWith(`1 ${noun}`);
  if (!verb.endsWith(` ${noun}`) || isCounted || verb.endsWith(` ${determiner} ${noun}`)) return verb;
  return `${verb.slice(0, -noun.length)}${determiner} ${noun}`;
}

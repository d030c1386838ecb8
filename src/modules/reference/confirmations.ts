/** Operations that don't change anything. */
const READING: ReadonlySet<string> = new Set(['sieveFilters-validate', 'templates-preview']);

/** Operations that change one record, start a check or a copy, or report by default only. */
const UNCONFIRMED: ReadonlySet<string> = new Set([
  'alerts-mute',
  'alerts-update',
  'aliases-create',
  'aliases-import',
  'aliases-update',
  'auth-oidcLink',
  'auth-setUpTotp',
  'auth-updateProfile',
  'backups-create',
  'backups-prove',
  'backups-verify',
  'domains-checkDns',
  'domains-create',
  'mailBackups-check',
  'mailBackups-start',
  'mailboxes-create',
  'mailboxes-import',
  'mailboxes-unsuspend',
  'queue-hold',
  'queue-retry',
  'savedViews-create',
  'savedViews-update',
  'sending-reschedule',
  'suppressions-create',
  'suppressions-import',
  'system-checkNow',
  'templates-create',
  'templates-update',
  'webhooks-create',
  'webhooks-replay',
  'webhooks-test',
  'webhooks-update',
]);

/** What the other operations do. Those that delete a record need no words beyond their summary. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  'abuse-updateThresholds': 'Changes the limits of all senders, which takes effect immediately.',
  'admins-create': 'Gives a person access to the console and the API.',
  'admins-disconnectOidc': 'The admin can’t sign in with the identity provider any longer.',
  'admins-resetTotp': 'The admin can sign in without a code. Ends the admin’s sessions.',
  'admins-update': 'Changes the role or the password of an admin, which ends the admin’s sessions.',
  'apiKeys-create': 'Creates a key that gives access to the API. The response shows it.',
  'apiKeys-delete': 'Applications that use the key lose access immediately.',
  'auth-changePassword': 'Changes your password and ends your other sessions.',
  'auth-disableTotp': 'You sign in without a code from then on.',
  'auth-enableTotp': 'You need a code to sign in from then on.',
  'auth-endSession': 'Ends one of your sessions.',
  'auth-login': 'Replaces your session in this browser.',
  'auth-logout': 'Ends your session in this browser.',
  'auth-logoutAll': 'Ends all of your sessions, also in other browsers.',
  'auth-oidcDisconnect': 'You can’t sign in with the identity provider any longer.',
  'backups-restore': 'Replaces current records by those of the backup, unless `dry_run` is true.',
  'cluster-update': 'A drained instance takes no work.',
  'config-update': 'Changes settings of all instances, unless `dry_run` is true.',
  'deletedRecords-restore': 'Restores the record and what was deleted with it.',
  'domains-activateDkim': 'Signs all mail of the domain with this key.',
  'domains-delete': 'Deletes the domain with everything in it.',
  'domains-rotateDkim': 'Creates a new key, with which mail of the domain is signed after its activation.',
  'domains-update': 'Changes the state or the limits of a domain. An inactive domain neither sends nor receives mail.',
  'mailBackups-restore': 'Changes the mail of a mailbox.',
  'mailboxes-suspend': 'The mailbox can’t send until it is unsuspended.',
  'mailboxes-update': 'Changes the password, the state or the limits of a mailbox.',
  'queue-delete': 'Deletes a message that hasn’t been delivered.',
  'queue-flush': 'Retries all deferred messages of the server at once.',
  'queue-release': 'Releases the message, which then is delivered.',
  'reports-uploadDmarcReport': 'Adds the report to the statistics of its domains.',
  'reports-uploadTlsReport': 'Adds the report to the statistics of its domains.',
  'sending-cancel': 'The message won’t be sent.',
  'sending-resend': 'Sends the message to real recipients.',
  'sending-send': 'Sends the message to real recipients.',
  'sending-sendBatch': 'Sends the messages to real recipients.',
  'services-create': 'Controls the services of a mail server, unless `dry_run` is true.',
  'services-setRelay': 'Changes how all mail leaves the server.',
  'services-testRelay': 'Sends a test message by the relay.',
  'sieveFilters-create': 'Filters incoming mail: of all mailboxes, if its scope is global.',
  'sieveFilters-update': 'Filters incoming mail: of all mailboxes, if its scope is global.',
  'templates-publish': 'Messages that are sent with the template have this version from then on.',
  'webhooks-replayFailed': 'Sends all abandoned deliveries to the endpoint.',
  'webhooks-rotateSecret': 'The endpoint must check signatures with the new secret.',
};

export type Confirmation = {
  /** Whether the operation may change something. */
  isChanging: boolean;
  /** What it does if it must be confirmed before it is sent, else null. An operation that isn't known must be. */
  confirmation: string | null;
};

export function confirmationOf(id: string, method: string): Confirmation {
  if (method === 'GET' || READING.has(id)) return { isChanging: false, confirmation: null };
  if (method !== 'DELETE' && UNCONFIRMED.has(id)) return { isChanging: true, confirmation: null };
  return { isChanging: true, confirmation: CONSEQUENCES[id] ?? '' };
}

/** The operations that are named here, to compare them with those of the API. */
export const NAMED = [...READING, ...UNCONFIRMED, ...Object.keys(CONSEQUENCES)];

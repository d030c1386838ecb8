/** The services of a mail server, in the order in which they start. */
export const MAIL_SERVICES = ['redis', 'rspamd', 'dovecot', 'postfix'] as const;
export type MailService = (typeof MAIL_SERVICES)[number];

/** Whose configuration deploy/mail generates. */
export const CONFIGURED_SERVICES = [...MAIL_SERVICES, 'agent'] as const;
export type ConfiguredService = (typeof CONFIGURED_SERVICES)[number];

/** Operations on the services. */
export const SERVICE_OPERATIONS = ['reload', 'restart', 'apply_config', 'rebuild_maps', 'renew_certificates'] as const;
export type ServiceOperation = (typeof SERVICE_OPERATIONS)[number];

/** Changes the settings file, and applies it. */
export const SET_RELAY = 'set_relay';

/** Operations on the backups of mail, which can take hours and disturb no service. */
export const MAIL_BACKUP_OPERATIONS = ['backup_mail', 'restore_mail', 'check_mail'] as const;

/** The result of a check of a repository that found damage. */
export const REPOSITORY_DAMAGED =
  'The repository is damaged. The output names the files. Keep it, choose another BACKUP_TARGET and back up again.';

/** Every operation that the app can have the mail agent run. The agent performs nothing else. */
export const OPERATION_ACTIONS = [...SERVICE_OPERATIONS, SET_RELAY, ...MAIL_BACKUP_OPERATIONS] as const;
export type OperationAction = (typeof OPERATION_ACTIONS)[number];

/** One operation runs at a time in each lane. */
export type OperationLane = 'services' | 'mail_backup';

export function laneOf(action: OperationAction): OperationLane {
  return (MAIL_BACKUP_OPERATIONS as readonly OperationAction[]).includes(action) ? 'mail_backup' : 'services';
}

/** How a mailbox is restored: in a folder beside its mail, or as it was. */
export const RESTORE_MODES = ['beside', 'in_place'] as const;

/** The input of a restore of a mailbox from a snapshot. */
export type RestoreInput = {
  snapshot: string;
  /** Its address. */
  mailbox: string;
  /** Below `DATA_DIR/mail`: domain, name, id. */
  folder: string;
  mode: (typeof RESTORE_MODES)[number];
};

export type RelaySettings = { destination: string; user: string | null; tls: RelayTls | null };

/** The server through which mail is to leave; null for the recipients' own servers. */
export type RelayInput = {
  relay: RelaySettings | null;
  /** Sealed, in base64, until the operation is finished. Null to keep that of the settings file. */
  password: string | null;
};

/** may: if the relay offers it; encrypt: always; secure: with a certificate that is valid for its name. */
export const RELAY_TLS = ['may', 'encrypt', 'secure'] as const;
export type RelayTls = (typeof RELAY_TLS)[number];

export type OperationInput = RestoreInput | RelayInput;

/**
 * The place that the password of an operation is sealed for, so that it can't be sent to another server, or with less TLS. The operation
 * has no id yet.
 */
export const relayPasswordPlace = (host: string, { destination, user, tls }: RelaySettings) =>
  `operation.input.password:${JSON.stringify([host, destination, user, tls])}`;

/** Whether a password that was set for one relay can stay for another one: the same server and user, with at least as much TLS. */
export function keepsRelayPassword(former: RelaySettings | null, wanted: RelaySettings): boolean {
  const strength = ({ tls }: RelaySettings) => RELAY_TLS.indexOf(tls ?? 'encrypt');
  const isSame = former?.destination === wanted.destination && former.user === wanted.user;
  return isSame && strength(wanted) >= strength(former);
}

/** The actions that can be limited to one service. */
export const SERVICE_ACTIONS: readonly OperationAction[] = ['reload', 'restart'];

export type DriftedFile = {
  /** In the folder of the configuration. */
  path: string;
  kind: 'changed' | 'missing' | 'extra';
};

/** Files of the operator in the folder `custom` of a mail server's configuration. */
export const CUSTOM_FILES = ['postfix-main', 'postfix-master', 'dovecot', 'rspamd'] as const;
export type CustomFile = (typeof CUSTOM_FILES)[number];

/** A line of an operation's output: what the agent does, what a command prints, what is wrong, or a line of a diff. */
export const LINE_KINDS = ['step', 'output', 'error', 'diff'] as const;
export type LineKind = (typeof LINE_KINDS)[number];

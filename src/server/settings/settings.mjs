import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { join, resolve } from 'node:path';
import { SETTINGS } from './declarations.mjs';
import { readSecretFiles } from './secret-files.mjs';

// Every program, and every thread that connects to others, imports this file. Node.js gives each address of a name but the last
// 250 ms to connect, which a distant server takes longer than. The shortest timeouts of connections are 2 seconds, for two addresses.
setDefaultAutoSelectFamilyAttemptTimeout(1_000);

const KEPT_ON_THIS_MACHINE = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** @typedef {keyof typeof SETTINGS} SettingName */

/** @typedef {{ [Name in SettingName]: import('zod').output<(typeof SETTINGS)[Name]['schema']> }} Values */

/**
 * The name of a setting in code: DATABASE_URL is databaseUrl.
 * @template {string} Name
 * @typedef {Name extends `${infer First}_${infer Rest}` ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}` : Lowercase<Name>} CamelCase
 */

/** @typedef {Readonly<ReturnType<typeof settingsOf>>} Settings */

export const settingNames = /** @type {readonly SettingName[]} */ (Object.freeze(Object.keys(SETTINGS)));

/**
 * Conditions on several settings together, each with the sentence for when it isn't met.
 * @type {[(values: Values) => boolean, string][]}
 */
const CONDITIONS = [
  [
    (values) => (values.ADMIN_EMAIL === undefined) === (values.ADMIN_PASSWORD === undefined),
    'ADMIN_EMAIL and ADMIN_PASSWORD belong together: set both or neither.',
  ],
  [
    (values) => values.DATABASE_READ_URL === undefined || values.DATABASE_URL !== undefined,
    'DATABASE_READ_URL is a replica of your own Postgres: set DATABASE_URL too.',
  ],
  [
    (values) => values.CONTENT_STORE?.kind !== 's3' || hasBucketCredentials(values),
    'CONTENT_STORE is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to its credentials.',
  ],
  [
    (values) => values.BACKUP_PASSPHRASE === undefined || values.BACKUP_RECIPIENTS.length === 0,
    'BACKUP_PASSPHRASE and BACKUP_RECIPIENTS exclude each other: an archive is encrypted with a passphrase or to keys.',
  ],
  [
    (values) => values.BACKUP_TARGET?.kind !== 's3' || hasBucketCredentials(values),
    'BACKUP_TARGET is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to its credentials.',
  ],
];

class SettingsError extends Error {
  /** @override */
  name = 'SettingsError';
}

/**
 * Reads one setting from its text in the environment, or its default.
 * @param {SettingName} name
 * @param {string} [text]
 * @returns {{ value: unknown } | { problem: string }} undefined as a value for a setting without a default
 */
export function readSetting(name, text) {
  const result = SETTINGS[name].schema.safeParse(text || undefined);
  return result.success ? { value: result.data } : { problem: `${name} ${result.error.issues[0]?.message}` };
}

/**
 * Reads all settings. An empty text is as none.
 * @param {Record<string, string | undefined>} env
 * @returns {Settings}
 * @throws SettingsError with a sentence for each problem, one per line
 */
export function readSettings(env) {
  const read = settingNames.map((name) => ({ name, ...readSetting(name, env[name]) }));
  // A text that isn't valid still counts as set, so that no condition adds a second problem.
  const values = Object.fromEntries(read.map((one) => [one.name, 'value' in one ? one.value : env[one.name]]));
  const checked = /** @type {Values} */ (values);
  const problems = [
    ...read.flatMap((one) => ('problem' in one ? [one.problem] : [])),
    ...CONDITIONS.filter(([isMet]) => !isMet(checked)).map(([, sentence]) => sentence),
  ];
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return Object.freeze(settingsOf(checked));
}

/**
 * Reads all settings of this process, after the files of its secrets: the environment has DATABASE_URL instead of DATABASE_URL_FILE then.
 * @throws SettingsError
 */
export function readSettingsOfProcess() {
  const secrets = settingNames.filter((name) => SETTINGS[name].isSecret);
  const problems = readSecretFiles(process.env, secrets);
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return readSettings(process.env);
}

/**
 * Warns about settings that are valid but won't work for users.
 * @param {{ appUrl: string }} settings
 * @returns {string | undefined} one sentence
 */
export function warningAbout({ appUrl }) {
  const { protocol, hostname } = new URL(appUrl);
  if (protocol === 'https:' || KEPT_ON_THIS_MACHINE.test(hostname)) return undefined;
  return `Nobody can sign in at ${appUrl}: browsers keep the session cookie over https or on localhost only, so put https in front and set APP_URL to that address.`;
}

/** @param {Values} values */
function settingsOf({ SECRET_KEY, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...values }) {
  const dataDir = resolve(values.DATA_DIR);
  return {
    ...inCamelCase(values),
    dataDir,
    appUrl: values.APP_URL ?? `http://localhost:${values.PORT}`,
    mailServerConfig: resolve(values.MAIL_SERVER_CONFIG),
    secretKeys: SECRET_KEY,
    contentStore: values.CONTENT_STORE ?? folder(join(dataDir, 'content')),
    backupTarget: values.BACKUP_TARGET ?? folder(join(dataDir, 'backups')),
    /** The mail server has a default of its own. */
    isBackupTargetDefault: values.BACKUP_TARGET === undefined,
    bucketCredentials: { accessKeyId: AWS_ACCESS_KEY_ID ?? '', secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '' },
  };
}

/** @param {string} path */
function folder(path) {
  return { kind: /** @type {const} */ ('file'), folder: path };
}

/** @param {Values} values */
function hasBucketCredentials({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }) {
  return AWS_ACCESS_KEY_ID !== undefined && AWS_SECRET_ACCESS_KEY !== undefined;
}

/**
 * @template {object} Named
 * @param {Named} values
 */
function inCamelCase(values) {
  const named = Object.entries(values).map(([name, value]) => [
    name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    value,
  ]);
  return /** @type {{ [Name in keyof Named as CamelCase<string & Name>]: Named[Name] }} */ (Object.fromEntries(named));
}

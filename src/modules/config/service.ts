import { digest, entityTag } from '@/lib/record-version';
import { lock } from '@/server/database/advisory-locks';
import type { Tx } from '@/server/database/db';
import { AppError, type FieldError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { versionConflict } from '@/server/procedures/versions';
import { SETTINGS } from '@/server/settings/declarations.mjs';
import { applySavedSettings, isSettingName, SETTINGS_CHANNEL } from '@/server/settings/saved';
import { type SettingName, settingNames } from '@/server/settings/settings.mjs';
import { deletionOf } from './deletions';
import { domainListErrors, domainListProblems } from './domain-lists';
import { type ListSettingChanges, settingChangeList } from './lists';
import type { ConfigChanges, Setting, SettingChange, UpdateConfig } from './schema';
import { settingText, settingValue, type Value } from './values';

type Saved = Prisma.SavedSettingGetPayload<object>;
type SavedByKey = ReadonlyMap<string, Saved>;

export async function listSettings(ctx: ActorContext): Promise<Setting[]> {
  const [saved, changed] = await Promise.all([readSaved(ctx.db), ctx.db.settingChange.groupBy({ by: ['key'] })]);
  const changedKeys = new Set(changed.map(({ key }) => key));
  const problems = await domainListProblems(ctx.db, saved);
  return presentAll(saved).map((setting) => ({
    ...setting,
    problem: setting.problem ?? problems.get(setting.key) ?? null,
    has_history: changedKeys.has(setting.key),
  }));
}

/** The version of all settings. A new secret, which isn't shown, has a later time. */
export function versionOfSettings(settings: Setting[]): string {
  return digest(settings.map(({ key, value, updated_at: updatedAt }) => [key, value, updatedAt]));
}

/**
 * Saves settings, all or none, which take effect on every instance within two seconds.
 * @throws VALIDATION_ERROR with every value that is not valid; VERSION_CONFLICT if one was changed since the caller read it
 */
export async function updateConfig(ctx: MutationContext, input: UpdateConfig): Promise<ConfigChanges> {
  const wanted = readWanted(input.values);
  const now = ctx.clock.now();
  const { changes, after } = await ctx.transaction(async ({ tx, audit, requireVersion }) => {
    // One change at a time over all instances.
    await lock(tx, 'settings');
    await requireVersion();
    const saved = await readSaved(tx);
    requireUnchanged(saved, input.expected ?? {});
    const effective = changesOf(saved, wanted);
    requireNone(await domainListErrors(tx, effective));
    const { id: adminId, email: adminEmail } = ctx.actor.admin;
    const after = new Map(saved);
    if (!input.dry_run) {
      const rows = await save(tx, effective, { at: now, adminId, adminEmail, apiKeyId: ctx.actor.key?.id ?? null });
      for (const { key } of effective) after.delete(key);
      for (const row of rows) after.set(row.key, row);
      await tx.$executeRaw`SELECT pg_notify(${SETTINGS_CHANNEL}, '')`;
    }
    const report = effective.map(({ key, text, before }) => {
      return { key, before: stateOf(key, before ?? undefined), after: stateOf(key, text ?? undefined) };
    });
    await audit({
      resource: 'config',
      before: Object.fromEntries(report.map(({ key, before }) => [key, before.value])),
      after: Object.fromEntries(report.map(({ key, after }) => [key, after.value])),
      details: { dry_run: input.dry_run },
    });
    return { changes: report, after };
  });
  // Counting can take seconds, which no transaction waits for.
  const described = changes.map(async ({ key, before, after }) => {
    return {
      key,
      before,
      after,
      deletes: await deletionOf(ctx.db, { key, before: before.value, after: after.value, now }),
    };
  });
  const report = await Promise.all(described);
  if (!input.dry_run) await applySavedSettings(ctx.db);
  ctx.response.headers.set('ETag', entityTag(versionOfSettings(presentAll(after))));
  return { dry_run: input.dry_run, changes: report };
}

/** @throws NOT_FOUND */
export async function listSettingChanges(ctx: ActorContext, input: ListSettingChanges): Promise<Page<SettingChange>> {
  const { key } = input;
  if (!isSettingName(key)) throw notFound('setting');
  return paginate(settingChangeList, input, {
    fetch: async ({ where, ...keyset }) => {
      const rows = await ctx.db.settingChange.findMany({ ...keyset, where: { AND: [where, { key }] } });
      const ids = rows.flatMap(({ apiKeyId }) => apiKeyId ?? []);
      const keys = await ctx.db.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
      const names = new Map(keys.map(({ id, name }) => [id, name]));
      return rows.map((row) => ({ ...row, keyName: names.get(row.apiKeyId ?? '') ?? null }));
    },
    count: (take) => ctx.db.settingChange.count({ where: { key }, take }),
    present: presentChange(key),
  });
}

/** The text to save for each key; null removes it. @throws VALIDATION_ERROR */
function readWanted(values: UpdateConfig['values']): Map<SettingName, string | null> {
  const wanted = new Map<SettingName, string | null>();
  const fields: FieldError[] = [];
  for (const [key, value] of Object.entries(values)) {
    const read = readOne(key, value);
    if ('problem' in read) fields.push({ path: `values.${key}`, message: read.problem });
    else wanted.set(read.key, read.text);
  }
  requireNone(fields);
  return wanted;
}

/** @throws VALIDATION_ERROR with these errors */
function requireNone(fields: FieldError[]): void {
  if (fields.length === 0) return;
  const listed = fields.map(({ path, message }) => `${path.slice('values.'.length)}: ${message}`).join(' ');
  throw new AppError('VALIDATION_ERROR', `Nothing was saved. ${listed}`, { details: { fields } });
}

function readOne(key: string, value: Value | null): { problem: string } | { key: SettingName; text: string | null } {
  if (!isSettingName(key)) return { problem: 'There is no such setting.' };
  if (!SETTINGS[key].isMutable)
    return { problem: 'This setting can only be changed in the environment, followed by a restart.' };
  if (process.env[key]) return { problem: `The environment sets it. Remove ${key} there to change it here.` };
  if (value === null) return { key, text: null };
  const read = settingText(key, value);
  return 'problem' in read ? read : { key, text: read.text };
}

/** @throws VERSION_CONFLICT naming the settings that were changed since the caller read them */
function requireUnchanged(saved: SavedByKey, expected: NonNullable<UpdateConfig['expected']>): void {
  const changed = Object.entries(expected).filter(
    ([key, at]) => (saved.get(key)?.updatedAt.getTime() ?? null) !== (at === null ? null : Date.parse(at)),
  );
  if (changed.length === 0) return;
  const settings = changed.map(([key]) => (isSettingName(key) ? present(key, saved.get(key)) : { key }));
  const names = changed.map(([key]) => {
    const by = saved.get(key)?.updatedByEmail;
    return by ? `${key} (by ${by})` : key;
  });
  const message = `Nothing was saved, because of changes made meanwhile: ${names.join(', ')}.`;
  throw versionConflict(settings, versionOfSettings(presentAll(saved)), message);
}

type Change = { key: SettingName; before: string | null; text: string | null };

function changesOf(saved: SavedByKey, wanted: ReadonlyMap<SettingName, string | null>): Change[] {
  const given = [...wanted].map(([key, text]) => ({ key, text, before: saved.get(key)?.value ?? null }));
  return given.filter(({ text, before }) => text !== before);
}

type By = { at: Date; adminId: string; adminEmail: string; apiKeyId: string | null };

async function save(tx: Tx, changes: Change[], { at, adminId, adminEmail, apiKeyId }: By): Promise<Saved[]> {
  await tx.savedSetting.deleteMany({ where: { key: { in: changes.map(({ key }) => key) } } });
  const rows = changes.flatMap(({ key, text }) =>
    text === null ? [] : [{ key, value: text, updatedAt: at, updatedById: adminId, updatedByEmail: adminEmail }],
  );
  await tx.savedSetting.createMany({ data: rows });
  await tx.settingChange.createMany({
    data: changes.map(({ key, before, text }) => ({ key, before, after: text, at, adminId, adminEmail, apiKeyId })),
  });
  return rows;
}

async function readSaved(db: Tx): Promise<SavedByKey> {
  const rows = await db.savedSetting.findMany();
  return new Map(rows.map((row) => [row.key, row]));
}

/** Returns the value in effect with this saved text, and its source. */
function stateOf(key: SettingName, saved: string | undefined): Pick<Setting, 'value' | 'source'> {
  const given = process.env[key];
  if (given) return { value: shown(key, given), source: 'environment' };
  const value = saved === undefined ? null : settingValue(key, saved);
  return value === null ? { value: settingValue(key), source: 'default' } : { value, source: 'database' };
}

const REDACTED = '••••••••';

function shown(key: SettingName, given: string): Value | null {
  if (!SETTINGS[key].isSecret) return settingValue(key, given);
  if (given === 'off') return given;
  // A secret with a colon would pass for a URL.
  if (!key.endsWith('_URL') || !URL.canParse(given)) return REDACTED;
  const url = new URL(given);
  if (url.password) url.password = 'redacted';
  if (SETTINGS[key].hasSecretPath) url.pathname = '/redacted';
  url.search = '';
  return url.href;
}

function presentAll(saved: SavedByKey): Setting[] {
  return settingNames.map((key) => present(key, saved.get(key)));
}

function present(key: SettingName, row: Saved | undefined): Setting {
  const { group, type, unit, minimum, maximum, isMutable, isSecret, label, description, ifUnset, options, zeroText } =
    SETTINGS[key];
  const state = stateOf(key, row?.value);
  return {
    key,
    group,
    ...state,
    type,
    unit: unit ?? null,
    minimum: minimum ?? null,
    maximum: maximum ?? null,
    options: options ? [...options] : null,
    zero_text: zeroText ?? null,
    default: settingValue(key),
    mutable: isMutable && !process.env[key],
    secret: isSecret,
    needs_restart: !isMutable,
    label,
    description,
    if_unset: ifUnset ?? null,
    problem: row && state.source === 'default' ? 'The saved value is not valid in this version.' : null,
    has_history: row !== undefined,
    updated_at: row?.updatedAt.toISOString() ?? null,
    updated_by: row ? { id: row.updatedById, email: row.updatedByEmail } : null,
  };
}

const presentChange =
  (key: SettingName) =>
  (row: Prisma.SettingChangeGetPayload<object> & { keyName: string | null }): SettingChange => ({
    id: row.id,
    key,
    before: row.before === null ? null : settingValue(key, row.before),
    after: row.after === null ? null : settingValue(key, row.after),
    at: row.at.toISOString(),
    changed_by: { id: row.adminId, email: row.adminEmail },
    api_key_id: row.apiKeyId,
    api_key_name: row.keyName,
  });

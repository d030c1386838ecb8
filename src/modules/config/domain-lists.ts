import type { Tx } from '@/server/database/db';
import type { FieldError } from '@/server/errors';
import { log } from '@/server/log';
import type { SettingName } from '@/server/settings/settings.mjs';
import { settingValue } from './values';

/** The settings that name managed domains. */
const DOMAIN_LISTS = ['ALERT_EMAIL_DOMAINS', 'ALERT_WEBHOOK_DOMAINS'] as const satisfies readonly SettingName[];

type DomainList = (typeof DOMAIN_LISTS)[number];

/** Returns what is wrong with the domains in settings that are about to change. */
export async function domainListErrors(
  db: Tx,
  changes: readonly { key: SettingName; text: string | null }[],
): Promise<FieldError[]> {
  const texts = DOMAIN_LISTS.flatMap((key) => {
    const text = changes.find((change) => change.key === key)?.text;
    return text ? [{ key, text }] : [];
  });
  const problems = await problemsOf(db, texts);
  return [...problems].map(([key, message]) => ({ path: `values.${key}`, message }));
}

/** Returns the problem of each setting in effect that names a domain that isn't managed, such as one that was deleted. */
export function domainListProblems(db: Tx, saved: ReadonlyMap<string, { value: string }>) {
  const texts = DOMAIN_LISTS.flatMap((key) => {
    const text = process.env[key] || saved.get(key)?.value;
    return text ? [{ key, text }] : [];
  });
  return problemsOf(db, texts);
}

/** Logs settings that name domains that aren't managed. The rest of them is in effect, so this never keeps an instance from starting. */
export async function warnOfDomainLists(db: Tx): Promise<void> {
  try {
    const saved = await db.savedSetting.findMany();
    for (const [key, problem] of await domainListProblems(db, new Map(saved.map((row) => [row.key, row]))))
      log.warn({ key, problem }, 'a setting names domains that are not managed');
  } catch (error) {
    log.warn({ error }, 'looking for settings that name domains that are not managed failed');
  }
}

async function problemsOf(db: Tx, texts: { key: DomainList; text: string }[]): Promise<Map<string, string>> {
  const lists = texts.map(({ key, text }) => ({ key, names: namesIn(key, text) }));
  const names = lists.flatMap((list) => list.names);
  if (names.length === 0) return new Map();
  const managed = await db.domain.findMany({ where: { name: { in: names } }, select: { name: true } });
  const known = new Set(managed.map(({ name }) => name));
  return new Map(
    lists.flatMap((list) => {
      const unknown = list.names.filter((name) => !known.has(name));
      return unknown.length > 0 ? [[list.key, problemOf(unknown)] as const] : [];
    }),
  );
}

function namesIn(key: DomainList, text: string): string[] {
  const value = settingValue(key, text);
  return Array.isArray(value) ? value : [];
}

function problemOf(names: string[]): string {
  const are = names.length === 1 ? 'is not managed by this server' : 'are not managed by this server';
  return `${names.join(', ')} ${are}. Remove what is misspelled, or add the domain first.`;
}

'use client';

import { useState } from 'react';
import { isVersionConflict, type Problem, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { ConfigChanges, Setting } from '../schema';
import { isSameValue, type SettingValue } from './setting-value';

type Drafts = Record<string, SettingValue>;

/** The changes that an admin has entered and not saved: checked by the server, reviewed, then saved together. */
export function useSettingDrafts(settings: Setting[]) {
  const utils = trpc.useUtils();
  const update = trpc.config.update.useMutation();
  const [drafts, setDrafts] = useState<Drafts>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [planned, setPlanned] = useState<ConfigChanges['changes'] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const changed = Object.keys(drafts);

  function change(key: string, value: SettingValue): void {
    const saved = byKey.get(key);
    if (!saved) return;
    const { [key]: _, ...rest } = drafts;
    const isAsSaved =
      isSameValue(value ?? saved.default, saved.value) && (value !== null || saved.source === 'default');
    setDrafts(isAsSaved ? rest : { ...drafts, [key]: value });
    setErrors(({ [key]: _error, ...others }) => others);
  }

  async function send(dryRun: boolean): Promise<ConfigChanges | null> {
    setProblem(null);
    const expected = Object.fromEntries(changed.map((key) => [key, byKey.get(key)?.updated_at ?? null]));
    try {
      return await update.mutateAsync({ values: drafts, expected, dry_run: dryRun });
    } catch (error) {
      const found = toProblem(error);
      if (isVersionConflict(found)) {
        const current = found.details.current as Setting[];
        setPlanned((changes) => changes?.map((change) => withCurrent(change, current)) ?? null);
        await utils.config.list.invalidate();
      }
      setErrors(errorsOf(found, byKey));
      setProblem(found);
      return null;
    }
  }

  return {
    drafts,
    errors,
    planned,
    problem,
    isBusy: update.isPending,
    count: changed.length,
    change,
    discard() {
      setDrafts({});
      setErrors({});
      setProblem(null);
    },
    async review() {
      setPlanned((await send(true))?.changes ?? null);
    },
    closeReview() {
      setPlanned(null);
      setProblem(null);
    },
    /** @returns whether the changes were saved */
    async save(): Promise<boolean> {
      const saved = await send(false);
      if (!saved) return false;
      await utils.config.invalidate();
      setPlanned(null);
      setDrafts({});
      return true;
    },
  };
}

/** A planned change with the value that another admin has saved meanwhile. */
function withCurrent(change: ConfigChanges['changes'][number], current: Setting[]): ConfigChanges['changes'][number] {
  const setting = current.find(({ key }) => key === change.key);
  return setting ? { ...change, before: { value: setting.value, source: setting.source } } : change;
}

const VALUES = 'values.';

function errorsOf({ fields }: Problem, settings: ReadonlyMap<string, Setting>): Record<string, string> {
  const own = fields.filter(({ path }) => path.startsWith(VALUES) && settings.has(path.slice(VALUES.length)));
  return Object.fromEntries(own.map(({ path, message }) => [path.slice(VALUES.length), message]));
}

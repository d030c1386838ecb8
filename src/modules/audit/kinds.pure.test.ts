import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AUDIT_ACTIONS } from '@/lib/texts/audit-actions';
import { AUDIT_KINDS, findKind, KINDS } from '@/lib/texts/audit-kinds';

/** Kinds whose names are those that entries recorded, and no others. */
const RECORDED_ONLY = ['alert', 'alert_mute', 'cluster_node', 'saved_view'];

const sourceOf = (name: string) => readFileSync(`prisma/functions/audit/${name}.sql`, 'utf8');

it('describes the kind of every action, and no other', () => {
  const kinds = AUDIT_ACTIONS.map((action) => action.split('.')[0]);
  expect(AUDIT_KINDS).toEqual([...new Set(kinds)]);
  expect(findKind('alias.create')).toBe(KINDS.alias);
  expect(findKind('alias:019ac000-0000-7000-8000-000000000000')).toBe(KINDS.alias);
});

it('finds the current name of every kind that has one', () => {
  const found = [...sourceOf('resource_name').matchAll(/WHEN '(\w+)'/g)].map(([, kind]) => kind);
  const named = AUDIT_KINDS.filter((kind) => KINDS[kind].name !== null && !RECORDED_ONLY.includes(kind));
  expect(found.toSorted(), 'the kinds of resource_name.sql').toEqual(named);
});

it('finds entries by every field that has a name', () => {
  const searched = [...sourceOf('audit_search_key').matchAll(/part ->> '(\w+)'/g)].map(([, field]) => field);
  expect(searched, 'the fields of audit_search_key.sql').toEqual(
    expect.arrayContaining(Object.values(KINDS).flatMap(({ name }) => name ?? [])),
  );
});

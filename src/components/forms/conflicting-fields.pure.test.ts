import { describe, expect, it } from 'vitest';
import { ACTIVE, conflictingFields } from './conflicting-fields';

const FIELDS = { active: ACTIVE, name: { label: 'Name' }, events: { label: 'Events' }, limit: { label: 'Limit' } };
type Saved = { active: boolean; name: string; events: string[]; limit: number | null; failures: number };

const loaded: Saved = { active: true, name: 'Billing', events: ['a', 'b'], limit: null, failures: 0 };

const conflicts = (yours: Partial<Saved>, current: Partial<Saved>) =>
  conflictingFields<Saved, keyof typeof FIELDS>(FIELDS, {
    loaded,
    yours: { ...loaded, ...yours },
    current: { ...loaded, ...current },
  });

describe('a form conflicts', () => {
  it('with another change of the same field, and shows both values', () => {
    expect(conflicts({ limit: 2000 }, { limit: 1 })).toEqual([{ label: 'Limit', yours: '2,000', current: '1' }]);
    expect(conflicts({ events: [] }, { events: ['c', 'd'] })).toEqual([
      { label: 'Events', yours: 'None', current: 'c\nd' },
    ]);
  });

  it('with a change of another field, beside what the form changes', () => {
    expect(conflicts({ name: '' }, { active: false })).toEqual([
      { label: 'State', yours: null, current: 'Inactive' },
      { label: 'Name', yours: 'Not set', current: 'Billing' },
    ]);
  });

  it.each([
    ['nothing has changed', { name: 'Sales' }, {}],
    ['only what the form doesn’t show has changed', { name: 'Sales' }, { failures: 1 }],
    ['the other change is the same', { name: 'Sales', limit: 1 }, { limit: 1 }],
    ['a list has only another order', { name: 'Sales' }, { events: ['b', 'a'] }],
  ])('with none if %s', (_, yours, current) => {
    expect(conflicts(yours, current)).toEqual([]);
  });
});

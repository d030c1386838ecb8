import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import { asSet } from '@/lib/record-version';

/** The fields of a form, with what to call them and their values when two changes conflict. */
export type ShownFields<Saved, Field extends keyof Saved> = { [Name in Field]: ShownField<Saved[Name]> };

type ShownField<Value> = { label: string; text?: (value: Value) => ReactNode };

export type ConflictingField = {
  label: string;
  /** Null for a field that only the other change has. */
  yours: ReactNode;
  current: ReactNode;
};

/** The switch that most records have. */
export const ACTIVE = { label: 'State', text: (isActive: boolean) => (isActive ? 'Active' : 'Inactive') };

/**
 * Returns the fields in which a form differs from the record as it is now, if somebody else changed at least one of them since
 * the form was loaded. None otherwise: then saving the form overwrites nothing.
 */
export function conflictingFields<Saved extends object, Field extends keyof Saved & string>(
  fields: ShownFields<Saved, Field>,
  { loaded, yours, current }: { loaded: Saved; yours: Pick<Saved, Field>; current: Saved },
): ConflictingField[] {
  const differing = (Object.keys(fields) as Field[]).filter((name) => !isSame(yours[name], current[name]));
  if (differing.every((name) => isSame(current[name], loaded[name]))) return [];
  return differing.map((name) => {
    const { label, text = textOf } = fields[name];
    return {
      label,
      yours: isSame(yours[name], loaded[name]) ? null : text(yours[name]),
      current: text(current[name]),
    };
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(asSet(one)) === JSON.stringify(asSet(other));
}

/** One line for each entry of a list. */
function textOf(value: unknown): string {
  if (value === null || value === '') return 'Not set';
  if (Array.isArray(value)) return value.join('\n') || 'None';
  return typeof value === 'number' ? formatCount(value) : String(value);
}

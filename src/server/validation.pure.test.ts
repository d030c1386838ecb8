import { expect, it } from 'vitest';
import { z } from 'zod';
import { normalized } from './validation';

const Person = z.strictObject({ id: z.string(), label: z.string().optional() });

const Schema = z
  .strictObject({
    name: z.string(),
    note: z.string().optional(),
    active: z.boolean().default(true),
    limit: z.number().nullable().optional(),
    anything: z.unknown().optional(),
    parts: z.preprocess((raw) => raw, z.array(Person)).optional(),
    owner: z.union([Person, z.preprocess((raw) => raw, z.array(Person))]).optional(),
    values: z.record(z.string(), z.string().nullable()).optional(),
    at: z
      .string()
      .transform((text) => new Date(text))
      .optional(),
  })
  .refine(() => true);

it('leaves out the nulls of optional fields, at any depth', () => {
  const input = {
    name: 'a',
    note: null,
    active: null,
    at: null,
    values: null,
    parts: [{ id: 'x', label: null }, null],
  };
  expect(normalized(input, Schema)).toEqual({ name: 'a', parts: [{ id: 'x' }, null] });
  expect(normalized({ name: 'a', parts: null }, Schema)).toEqual({ name: 'a' });
});

it('leaves out the nulls of one record, or of a list of them', () => {
  const owner = { id: 'x', label: null };
  expect(normalized({ name: 'a', owner }, Schema)).toEqual({ name: 'a', owner: { id: 'x' } });
  expect(normalized({ name: 'a', owner: [owner] }, Schema)).toEqual({ name: 'a', owner: [{ id: 'x' }] });
  expect(normalized({ name: 'a', owner: null }, Schema)).toEqual({ name: 'a' });
});

it('takes an empty list for an empty object, where no list is accepted', () => {
  expect(normalized([], Schema)).toEqual({});
  expect(normalized({ name: 'a', values: [], anything: [], parts: [[]] }, Schema)).toEqual({
    name: 'a',
    values: {},
    anything: [],
    parts: [{}],
  });
  expect(normalized({ owner: [] }, z.strictObject({ owner: Person.nullable().default(null) }))).toEqual({ owner: {} });
  const input = { name: 'a', values: ['b'], parts: [], owner: [], note: [], other: [] };
  expect(normalized(input, Schema)).toEqual(input);
});

it('keeps the nulls that mean something, are missing values or belong to no field', () => {
  const input = { name: null, limit: null, anything: null, values: { key: null }, other: null };
  expect(normalized(input, Schema)).toEqual(input);
});

it.each([null, undefined, 7, 'text', [null], new Date(0)])('returns %j, which is no object, as it is', (input) => {
  expect(normalized(input, Schema)).toBe(input);
});

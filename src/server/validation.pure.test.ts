import { expect, it } from 'vitest';
import { z } from 'zod';
import { withoutNulls } from './validation';

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
  expect(withoutNulls(input, Schema)).toEqual({ name: 'a', parts: [{ id: 'x' }, null] });
  expect(withoutNulls({ name: 'a', parts: null }, Schema)).toEqual({ name: 'a' });
});

it('leaves out the nulls of one record, or of a list of them', () => {
  const owner = { id: 'x', label: null };
  expect(withoutNulls({ name: 'a', owner }, Schema)).toEqual({ name: 'a', owner: { id: 'x' } });
  expect(withoutNulls({ name: 'a', owner: [owner] }, Schema)).toEqual({ name: 'a', owner: [{ id: 'x' }] });
  expect(withoutNulls({ name: 'a', owner: null }, Schema)).toEqual({ name: 'a' });
});

it('keeps the nulls that mean something, are missing values or belong to no field', () => {
  const input = { name: null, limit: null, anything: null, values: { key: null }, other: null };
  expect(withoutNulls(input, Schema)).toEqual(input);
});

it.each([null, undefined, 7, 'text', [null], new Date(0)])('returns %j, which is no object, as it is', (input) => {
  expect(withoutNulls(input, Schema)).toBe(input);
});

import type { AnyTRPCProcedure } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { NewAliasForm } from '@/modules/aliases/schema';
import { ChangePasswordForm, SetupForm } from '@/modules/auth/schema';
import { appRouter } from '@/modules/router';
import { OutgoingMessage } from '@/modules/sending/schema';
import { invalidInput } from '@/server/validation';

const WRONG: unknown[] = [
  undefined,
  null,
  '',
  ' ',
  'a b@',
  '\0',
  'x'.repeat(2_000_000),
  -1,
  0.5,
  1e300,
  Number.NaN,
  true,
  [],
  Array.from({ length: 1500 }, () => 'x'),
  [null],
  {},
  { 'Not-X': 1, __proto__: 2 },
];
const ZOD_PROSE = /Invalid (input|option|string|key|element)|Too (small|big)|Unrecognized key|, received |[<>]=\d/;
const SENTENCE = /^\S.*\.$/s;

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>);
const inputs = procedures.flatMap(([name, procedure]): [string, z.ZodObject][] => {
  const [input] = (procedure._def as unknown as { inputs: z.ZodType[] }).inputs;
  return input && 'shape' in input ? [[name, input as z.ZodObject]] : [];
});
const schemas = [...inputs, ...Object.entries({ ChangePasswordForm, NewAliasForm, OutgoingMessage, SetupForm })];

describe('the messages of invalid fields', () => {
  it.each(schemas)('of %s are sentences of ours, not Zod’s', (_, schema) => {
    for (const name of Object.keys(schema.shape)) {
      for (const value of WRONG) {
        for (const message of messagesFor(schema, name, value)) {
          expect(message).not.toMatch(ZOD_PROSE);
          expect(message).toMatch(SENTENCE);
        }
      }
    }
  });

  it('are the same in a form and in an API response', () => {
    for (const [, schema] of schemas) {
      for (const name of Object.keys(schema.shape)) {
        for (const value of WRONG) {
          const input = { [name]: value };
          const { error } = schema.safeParse(input);
          if (!error) continue;
          const told = invalidInput(error, input, schema).details?.fields ?? [];
          const shown = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
          for (const field of told.filter(({ message }) => message !== 'Unknown field.')) {
            expect(shown).toContain(`${field.path}: ${field.message}`);
          }
        }
      }
    }
  });
});

function messagesFor(schema: z.ZodType, name: string, value: unknown): string[] {
  const { error } = schema.safeParse({ [name]: value });
  return (error?.issues ?? []).filter(({ path }) => path[0] === name).map(({ message }) => message);
}

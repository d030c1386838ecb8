import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { csvText } from '@/lib/csv/csv-text';
import { decodeUnicode } from '@/lib/csv/decode-file';
import { readCsv } from '@/server/csv/read-csv';

type Expected = {
  /** The encoding that the file is read in, if it isn't Unicode. */
  encoding?: string;
  lines?: Record<string, unknown>[];
  error?: string;
};

const COLUMNS = {
  names: ['source_local_part', 'destination', 'active'],
  required: ['source_local_part', 'destination'],
  synonyms: { address: 'source_local_part' },
};
const names = readdirSync(import.meta.dirname).flatMap((name) => (name.endsWith('.csv') ? [name.slice(0, -4)] : []));

async function read(bytes: Uint8Array, encoding: string | undefined) {
  const unicode = decodeUnicode(bytes);
  expect(unicode === null).toBe(encoding !== undefined);
  const { data: text, error } = csvText(1_000_000).safeParse(unicode ?? new TextDecoder(encoding).decode(bytes));
  if (error) return { error: error.issues[0]?.message };
  try {
    const { lines } = await readCsv(text, COLUMNS);
    return { lines: lines.map(({ line, values: { error: _, address: __, ...values }, problem }) => ({ line, problem, ...values })) };
  } catch (failure) {
    return { error: (failure as Error).message };
  }
}

it.each(names)('reads %s.csv right, or says why not', async (name) => {
  const fileOf = (type: string) => readFileSync(`${import.meta.dirname}/${name}.${type}`);
  const { encoding, lines, error }: Expected = JSON.parse(fileOf('json').toString());
  const found = await read(fileOf('csv'), encoding);
  if (error) return expect(found.error).toContain(error);
  const expected = lines?.map(({ active, problem, ...line }) => ({
    ...line,
    ...(active === null ? {} : { active }),
    problem: problem ? expect.stringContaining(String(problem)) : null,
  }));
  expect(found).toEqual({ lines: expected });
});

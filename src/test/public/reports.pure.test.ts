import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readReports } from '@/modules/reports/reading/read';

const FOLDER = new URL('./reports/', import.meta.url);
const EXPECTED = '.expected.json';
const files = readdirSync(FOLDER).filter((name) => !name.endsWith(EXPECTED));

/** Files and mail as reporters send them: each beside what is read of it. */
it.each(files)('%s is read as far as it goes', async (name) => {
  const bytes = new Uint8Array(readFileSync(new URL(name, FOLDER)));
  const expected = JSON.parse(readFileSync(new URL(`${name}${EXPECTED}`, FOLDER), 'utf8'));
  const found = await readReports({ bytes, isMail: name.endsWith('.eml') });
  const order = ({ reportId }: { reportId: string }) => reportId;
  found.reports.sort((one, other) => order(one).localeCompare(order(other)));
  expect(JSON.parse(JSON.stringify(found))).toMatchObject(expected);
});

import { describe, expect, it } from 'vitest';
import { readMigrations } from './migrations.mjs';

/** The last migration of before the rule. */
const LAST_BEFORE = '20261212100000_dmarc_policy';
const EXPLAINED = /^-- (?:Breaks versions before \w+, \S.*|Breaks no version: \S.*)/;

/** Statements that an instance of the version before could fail on, each with the reason. */
const BREAKING: [RegExp, string][] = [
  [/\bDROP (TABLE|COLUMN|TYPE|SCHEMA|SEQUENCE|DOMAIN|DEFAULT|EXPRESSION)\b/, 'it may use what is dropped'],
  [/^ALTER TABLE [^(]*\bDROP (?!CONSTRAINT|NOT NULL)\w/, 'it may use what is dropped'],
  [/^DROP INDEX\b/, 'its ON CONFLICT may need the index'],
  [/\bRENAME\b|\bSET SCHEMA\b/, 'it uses the former name'],
  [/\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/, 'it expects the former type'],
  [/\bSET NOT NULL\b/, 'it may insert NULL'],
  [/\bADD VALUE\b/, 'it can’t read a row with the new value'],
  [/^(DELETE|TRUNCATE|REVOKE)\b/, 'it may need what is taken away'],
];

/** Returns why the version before may fail on the tables that a migration makes. */
function findBreaking(script: string): string[] {
  const statements = script
    .replace(/--.*|\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replaceAll('"', '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' '));
  const made = new Set(statements.flatMap((text) => /^CREATE TABLE (?:IF NOT EXISTS )?(\S+)/i.exec(text)?.[1] ?? []));
  return statements.flatMap((statement) => {
    const table = /^(?:ALTER TABLE(?: IF EXISTS)?(?: ONLY)?|CREATE UNIQUE INDEX .*? ON(?: ONLY)?) ([^\s(]+)/i.exec(
      statement,
    );
    if (table && made.has(String(table[1]))) return [];
    const found = BREAKING.filter(([pattern]) => new RegExp(pattern, 'i').test(statement)).map(([, why]) => why);
    if (/^CREATE UNIQUE INDEX\b|\bADD (CONSTRAINT|UNIQUE|CHECK|PRIMARY KEY|FOREIGN KEY|EXCLUDE)\b/i.test(statement))
      found.push('it may write rows that this rejects');
    for (const column of statement.split(/\bADD COLUMN\b/i).slice(1))
      if (/\bNOT NULL\b|\bPRIMARY KEY\b/i.test(column) && !/\bDEFAULT\b|\bGENERATED\b/i.test(column))
        found.push('it inserts no value');
      else if (/\b(UNIQUE|CHECK)\b/i.test(column)) found.push('it may write rows that this rejects');
    return found.map((why) => `${statement.slice(0, 80)}: ${why}`);
  });
}

it('the version before runs with each migration, or the migration says which versions do', async () => {
  const later = (await readMigrations()).filter(({ name }) => name > LAST_BEFORE);
  const unexplained = later.filter(({ script }) => !EXPLAINED.test(script));
  expect(unexplained.flatMap(({ name, script }) => findBreaking(script).map((why) => `${name}: ${why}`))).toEqual([]);
});

it('a migration names only earlier ones', async () => {
  const all = await readMigrations();
  for (const { name, script } of all) {
    const [, needed] = /^-- Breaks versions before (\w+)/.exec(script) ?? [];
    if (needed) expect(all.filter((each) => each.name < name).map((each) => each.name)).toContain(needed);
  }
});

describe('what may break the version before', () => {
  it.each([
    'DROP TABLE alert',
    'ALTER TABLE "alias" DROP COLUMN "active"',
    'ALTER TABLE alias DROP active',
    'ALTER TABLE alias ADD COLUMN note text, DROP COLUMN active',
    'ALTER TABLE alias\n  RENAME COLUMN active TO is_active',
    'ALTER TABLE alias RENAME TO forward',
    'alter table alias alter column active type text',
    'ALTER TABLE alias ALTER COLUMN note SET NOT NULL',
    'ALTER TABLE alias ALTER COLUMN note DROP DEFAULT',
    'ALTER TABLE alias ADD COLUMN note text NOT NULL',
    "ALTER TABLE alias ADD COLUMN a text NOT NULL DEFAULT '', ADD COLUMN b text NOT NULL",
    'ALTER TABLE alias ADD COLUMN note text UNIQUE',
    'ALTER TABLE alias ADD CONSTRAINT short CHECK (length(note) < 10)',
    'CREATE UNIQUE INDEX one ON alias (note)',
    'DROP INDEX alias_key',
    "ALTER TYPE message_status ADD VALUE 'scheduled'",
    'CREATE TABLE other (id uuid); DELETE FROM alias',
    'DROP TYPE kind',
  ])('is found: %s', (script) => {
    expect(findBreaking(script)).not.toEqual([]);
  });

  it.each([
    'CREATE TABLE note (id uuid PRIMARY KEY, text text NOT NULL UNIQUE)',
    'CREATE TABLE "note" (id uuid); ALTER TABLE "note" ADD CONSTRAINT a FOREIGN KEY (id) REFERENCES alias (id)',
    'CREATE TABLE note (id uuid); CREATE UNIQUE INDEX one ON note (id)',
    "ALTER TABLE alias ADD COLUMN note text, ADD COLUMN b text NOT NULL DEFAULT 'DROP TABLE'",
    'ALTER TABLE alias ADD COLUMN c integer NOT NULL GENERATED ALWAYS AS (1) STORED',
    'CREATE INDEX some ON alias (note) WHERE note IS NOT NULL',
    'ALTER TABLE alias DROP CONSTRAINT short',
    'ALTER TABLE alias ALTER COLUMN note DROP NOT NULL',
    'DROP VIEW analytics_fact',
    '-- DROP TABLE alias\nUPDATE alias SET note = NULL',
    "CREATE TYPE kind AS ENUM ('a')",
  ])('is not: %s', (script) => {
    expect(findBreaking(script)).toEqual([]);
  });
});

import path from 'node:path';
import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { readFunctions } from './function-files.mjs';

const { files } = await readFunctions();

/** Types as the catalog names them. */
const inCatalog = (object: string) => object.replaceAll('timestamptz', 'timestamp with time zone');

it('the functions, triggers and views of a database are those that the files name', async () => {
  const rows = await db.$queryRaw<{ object: string }[]>`
    SELECT format('FUNCTION %s(%s)', p.oid::regproc, pg_get_function_arguments(p.oid)) AS object FROM pg_proc p
     WHERE pronamespace IN ('public'::regnamespace, 'mta'::regnamespace)
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
    UNION ALL SELECT format('TRIGGER %s ON %s', tgname, tgrelid::regclass) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT format('VIEW %s', oid::regclass) FROM pg_class
     WHERE relkind IN ('v', 'm') AND relnamespace IN ('public'::regnamespace, 'mta'::regnamespace)`;
  // Overloaded functions have their arguments in the name.
  const found = rows.map(({ object }) => object);
  expect(found.toSorted()).toEqual(files.flatMap(({ objects }) => objects.map(inCatalog)).toSorted());
});

it('the functions of a database have the text of the files', async () => {
  const rows = await db.$queryRaw<{ name: string; text: string }[]>`
    SELECT proname AS name, prosrc AS text FROM pg_proc p
     WHERE pronamespace IN ('public'::regnamespace, 'mta'::regnamespace) AND prosqlbody IS NULL
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')`;
  expect(rows.length).toBeGreaterThan(50);
  const textOf = (name: string) => files.find((file) => path.basename(file.name) === name)?.text;
  for (const { name, text } of rows) expect(textOf(name), name).toContain(text);
});

it('each file is named after what it makes, and says what that guarantees and who uses it', () => {
  const names = files.map(({ name }) => path.basename(name));
  expect(new Set(names).size).toBe(names.length);
  for (const { name, text, objects } of files) {
    const [, comment = ''] = /^((?:--.*\n)+)CREATE OR REPLACE /.exec(text) ?? [];
    expect(comment, name).toMatch(/^-- [A-Z].*\n[\s\S]*^-- (Called|Read) by /m);
    const object = (name.startsWith('mta/') ? 'mta.' : '') + path.basename(name);
    expect(objects[0], name).toMatch(new RegExp(`^(FUNCTION ${object}\\(|VIEW ${object}$)`));
    for (const other of objects.slice(1))
      expect(other.startsWith('TRIGGER ') || other.startsWith(`FUNCTION ${object}(`), `${name}: ${other}`).toBe(true);
  }
});

it('the role of the mail server may call the functions in mta, and nobody else', async () => {
  const rows = await db.$queryRaw<{ name: string; isCallable: boolean; isPublic: boolean }[]>`
    SELECT oid::regprocedure::text AS name, has_function_privilege('mta_read', oid, 'EXECUTE') AS "isCallable",
           EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0) OR proacl IS NULL AS "isPublic"
      FROM pg_proc WHERE pronamespace = 'mta'::regnamespace`;
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ isCallable, isPublic }) => !isCallable || isPublic)).toEqual([]);
});
